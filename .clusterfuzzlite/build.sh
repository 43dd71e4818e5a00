#!/bin/bash -eu
# Copyright 2026 The twingrad authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#      http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
################################################################################
# Builds the fuzz targets for OSS-Fuzz, ClusterFuzzLite and other services with the same contract (docs/guide/campaigns.md): CC, CXX, CFLAGS, CXXFLAGS,
# LIB_FUZZING_ENGINE, SRC, WORK and OUT come from the environment, and only OUT is shipped. cJSON is linked statically, from $SRC/cjson.
make -C "$SRC/twingrad" -j"$(nproc)" cluster-targets WARN= BUILD="$WORK/twingrad" CJSON="$SRC/cjson" TARGETS="$OUT"

seeds="$WORK/seeds"
mkdir -p "$seeds"
split -l 1 -a 4 -d "$SRC/twingrad/corpus/distilled/programs.jsonl" "$seeds/program-"
for target in check codec json; do
  (cd "$seeds" && zip -q -X -r "$OUT/twingrad_${target}_seed_corpus.zip" .)
  cp "$SRC/twingrad/fuzz/engines/target.options" "$OUT/twingrad_$target.options"
done
cp "$SRC/twingrad/fuzz/engines/entry_json.dict" "$OUT/twingrad_json.dict"
