/* Embeds the C library: the same through one call. */

#include <amp-c/Compiler.h>

#include <stdio.h>

int main(int argc, char **argv) {
  static char module[1 << 16];
  AmpCompilerRequest request = {0};
  AmpCompilerResult *result;
  AmpCompilerStatus status;
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  request.structSize = sizeof request;
  request.module = module;
  request.moduleSize = fread(module, 1, sizeof module, file);
  request.pipeline = argv[2];
  fclose(file);
  result = ampCompilerRun(&request);
  status = ampCompilerResultGetStatus(result);
  fputs(ampCompilerResultGetDiagnostics(result), stderr);
  fputs(ampCompilerResultGetOutput(result, NULL), stdout);
  ampCompilerResultDestroy(result);
  return status == AMP_COMPILER_OK ? 0 : 1;
}
