/* What fills an input (format.md, `fill`), in Python: the same numbers as fill_buffer makes. */
#include "program/print/python.h"

#include <string.h>

static const char FILL[] =
    "def _wrap(value, dtype):\n"
    "    bits = torch.iinfo(dtype).bits\n"
    "    value &= (1 << bits) - 1\n"
    "    return value - (1 << bits) if torch.iinfo(dtype).min < 0 and value >> (bits - 1) else "
    "value\n"
    "\n\n"
    "def _fill(kind, seed, count, dtype):\n"
    "    mask, out, state = (1 << 64) - 1, [], seed\n"
    "    floating, boolean = dtype.is_floating_point, dtype == torch.bool\n"
    "    for i in range(count):\n"
    "        state = (state + 0x9E3779B97F4A7C15) & mask\n"
    "        z = state\n"
    "        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask\n"
    "        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask\n"
    "        z ^= z >> 31\n"
    "        if kind == \"zeros\" or kind == \"ones\":\n"
    "            out.append(int(kind == \"ones\"))\n"
    "        elif kind == \"arange\":\n"
    "            out.append(float(i) if floating else i != 0 if boolean else _wrap(i, dtype))\n"
    "        elif kind == \"special\" and floating:\n"
    "            info = torch.finfo(dtype)\n"
    "            out.append([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, float(\"inf\"), float(\"-inf\"), "
    "float(\"nan\"), info.tiny, info.max, info.eps][z % 12])\n"
    "        elif kind == \"special\" and not boolean:\n"
    "            info = torch.iinfo(dtype)\n"
    "            out.append(_wrap([0, 1, -1, 2, -2, 3, 7, -7, 100, info.min, info.max, 5][z % 12], "
    "dtype))\n"
    "        elif kind == \"uniform\" and floating:\n"
    "            out.append(((z >> 11) * 2.0**-53) * 4 - 2)\n"
    "        elif floating:\n"
    "            out.append((z % 33 - 16) / (10 if kind == \"decimal\" else 8))\n"
    "        else:\n"
    "            out.append(z % 2 if boolean else z % 33 if dtype == torch.uint8 else z % 33 - "
    "16)\n"
    "    return torch.tensor(out, dtype=dtype)\n";

void torch_print_fill(Text *t, int indent) {
    for (const char *line = FILL; *line;) {
        const char *end = strchr(line, '\n') + 1;
        text_printf(t, "%*s", line[0] == '\n' ? 0 : 4 * indent, "");
        text_addn(t, line, end - line);
        line = end;
    }
}
