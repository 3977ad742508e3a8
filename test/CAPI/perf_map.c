/* Names for Linux's perf, of several programs of one process.
 * RUN: amp-capi-perf-map-test | FileCheck %s
 */

#define _POSIX_C_SOURCE 200809L

#include "amp-c/Execution.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

/* Compiles a function of that name. */
static AmpProgram *compile(const char *name, uint32_t flags) {
  static const char form[] =
      "func.func @%s(%%x: tensor<64x64xf32> {amp.role = \"batch\", amp.name = \"x\"})\n"
      "    -> (tensor<64x64xf32> {amp.role = \"output\", amp.name = \"z\"}) {\n"
      "  %%0 = arith.addf %%x, %%x : tensor<64x64xf32>\n"
      "  return %%0 : tensor<64x64xf32>\n"
      "}\n";
  char text[512];
  AmpCompilerRequest request;
  memset(&request, 0, sizeof request);
  request.structSize = sizeof request;
  snprintf(text, sizeof text, form, name);
  request.module = text;
  request.moduleSize = strlen(text);
  request.pipeline = "builtin.module(amp-to-host{describe-kernels})";
  request.flags = flags;
  return ampProgramCompile(&request, 2);
}

/* Prints how compiling ended, the process's number left out. */
static void show(const char *title, const AmpProgram *program) {
  const char *said = ampProgramGetDiagnostics(program);
  const char *found = strstr(said, path);
  printf("%s: status %d\n", title, (int)ampProgramGetStatus(program));
  if (found)
    printf("%.*sPATH%s", (int)(found - said), said, found + strlen(path));
}

/* Prints the lines of the map without addresses. */
static void showMap(const char *title) {
  unsigned long long start, size;
  char name[256];
  FILE *map = fopen(path, "r");
  printf("== %s%s\n", title, map ? "" : ": no map");
  if (!map)
    return;
  while (fscanf(map, "%llx %llx %255[^\n]", &start, &size, name) == 3)
    printf("%s\n", name);
  printf("== end\n");
  fclose(map);
}

int main(void) {
  AmpProgram *programs[3];
  FILE *old;
  snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());

  /* CHECK: == not asked for: no map
   */
  ampProgramDestroy(compile("silent", 0));
  showMap("not asked for");

  /* What an earlier process left goes; the second program's names come behind
   * the first's, and one that does not ask has none.
   * CHECK-LABEL: == two programs
   * CHECK-NOT: old
   * CHECK-DAG: {{^}}_mlir_ciface_first{{$}}
   * CHECK-DAG: {{^}}amp_kernel_{{[0-9]+}} loops 64x64{{.*}}
   * CHECK-NOT: silent
   * CHECK: {{^}}_mlir_ciface_second{{$}}
   * CHECK: == end
   */
  old = fopen(path, "w");
  fputs("1 1 old\n", old);
  fclose(old);
  programs[0] = compile("first", AMP_COMPILER_PERF_MAP);
  programs[1] = compile("silent", 0);
  programs[2] = compile("second", AMP_COMPILER_PERF_MAP);
  showMap("two programs");

  /* Names outlive their programs.
   * CHECK-LABEL: == destroyed
   * CHECK: {{^}}_mlir_ciface_first{{$}}
   * CHECK: == end
   */
  for (int i = 0; i < 3; ++i)
    ampProgramDestroy(programs[i]);
  showMap("destroyed");

  /* A map that somebody took away is begun anew.
   * CHECK-LABEL: == begun anew
   * CHECK-NOT: first
   * CHECK: {{^}}_mlir_ciface_third{{$}}
   * CHECK: == end
   */
  unlink(path);
  ampProgramDestroy(compile("third", AMP_COMPILER_PERF_MAP));
  showMap("begun anew");
  unlink(path);

  /* CHECK-LABEL: folder: status 5
   * CHECK-NEXT: error: cannot write 'PATH', where perf looks for names: Is a directory
   */
  mkdir(path, 0700);
  programs[0] = compile("fourth", AMP_COMPILER_PERF_MAP);
  show("folder", programs[0]);
  ampProgramDestroy(programs[0]);
  rmdir(path);

  /* A link is never written through.
   * CHECK-LABEL: link: status 5
   * CHECK-NEXT: error: cannot write 'PATH', where perf looks for names: Too many levels of symbolic links
   */
  if (symlink("/dev/null", path))
    return 1;
  programs[0] = compile("fifth", AMP_COMPILER_PERF_MAP);
  show("link", programs[0]);
  ampProgramDestroy(programs[0]);
  unlink(path);
  return 0;
}
