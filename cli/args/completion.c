/* completion.c - scree completion: a script for bash or zsh, from the tables of subcommands and options. */
#include <stdio.h>
#include <string.h>

#include "args/args.h"

/* "auto|shm|mpi" with blanks. */
static void put_choices(const char *choices) {
  for (; *choices; choices++) putchar(*choices == '|' ? ' ' : *choices);
}

static void put_case(const char *command, const char *option) {
  printf("    %s:--%s) echo \"", command, option);
}

/* What follows an option: words, or nothing, which means a file. */
static void put_values(const cli_subcommand *c) {
  for (size_t i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    if (!(o->of & c->bit) || o->row.kind == SCREE_KIND_FLAG) continue;
    put_case(c->name, o->row.name);
    if (o->row.kind < SCREE_KIND_FLAG) put_choices(o->row.choices);
    for (size_t v = 0; o->set == cli_set_algorithm && scree_kernel_variant_at(c->kernel, v); v++)
      printf("%s%s", v ? " " : "", scree_kernel_variant_at(c->kernel, v)->name);
    printf("\" ;;\n");
  }
  for (size_t i = 0; cli_kernel_option_at(c->kernel, i); i++) {
    const scree_kernel_option *o = cli_kernel_option_at(c->kernel, i);
    if (!o->value) continue;
    put_case(c->name, o->row.name);
    if (o->row.kind == SCREE_KIND_CHOICE) put_choices(o->row.choices);
    printf("\" ;;\n");
  }
}

static void put_options(const cli_subcommand *c) {
  const char *names[CLI_OWN + CLI_KERNEL];
  const size_t count = cli_option_names(c, names);
  printf("    %s:*) echo \"", c->name);
  for (size_t i = 0; i < count; i++) printf("--%s ", names[i]);
  for (size_t i = 0; i < scree_option_count() && cli_opens_world(c); i++) printf("--%s ", scree_option_at(i)->name);
  printf("--help\" ;;\n");
}

static void put_subcommands(void) {
  for (size_t i = 0; cli_subcommand_at(i); i++) printf("%s ", cli_subcommand_at(i)->name);
}

/* _scree_words COMMAND PREVIOUS: the words that may follow PREVIOUS. */
static void put_tables(void) {
  printf("_scree_words() {\n  case $1:$2 in\n    :*) echo \"");
  put_subcommands();
  printf("help --help --version\" ;;\n    help:help | man:man) echo \"");
  put_subcommands();
  printf("options\" ;;\n    completion:completion) echo \"bash zsh\" ;;\n    bench:bench) echo \"latency bandwidth "
         "rate epoch\" ;;\n");
  for (size_t i = 0; i < scree_option_count(); i++) {
    put_case("*", scree_option_at(i)->name);
    if (scree_option_at(i)->kind == SCREE_KIND_CHOICE) put_choices(scree_option_at(i)->choices);
    printf("\" ;;\n");
  }
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    put_values(cli_subcommand_at(i));
    put_options(cli_subcommand_at(i));
  }
  printf("  esac\n}\n");
}

/* Options are offered after a dash; elsewhere files, and the words that the tables list. */
static const char bash[] =
    "_scree() {\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=\n"
    "  [ \"$COMP_CWORD\" = 1 ] || command=${COMP_WORDS[1]}\n"
    "  case $command:$previous:$current in\n"
    "    :* | *:-*:* | help:help:* | man:man:* | completion:completion:* | bench:bench:* | *:-*)\n"
    "      COMPREPLY=($(compgen -W \"$(_scree_words \"$command\" \"$previous\")\" -- \"$current\")) ;;\n"
    "    *) COMPREPLY=() ;;\n"
    "  esac\n"
    "}\n"
    "complete -o default -F _scree scree\n";
/* Sourced, or loaded from a folder of functions at the first completion, which is to offer words already. */
static const char zsh[] = "_scree() {\n"
                          "  local command=\n"
                          "  (( CURRENT == 2 )) || command=$words[2]\n"
                          "  compadd -- ${=$(_scree_words \"$command\" \"$words[CURRENT-1]\")}\n"
                          "  (( CURRENT == 2 )) || _files\n"
                          "}\n"
                          "if [[ $funcstack[1] = _scree ]]; then _scree; else compdef _scree scree; fi\n";

int cli_completion(const cli_args *args) {
  const study_request *request = &args->study;
  const char *shell = request->operand_count == 1 ? request->operands[0] : "";
  const bool is_zsh = strcmp(shell, "zsh") == 0;
  if (!is_zsh && strcmp(shell, "bash") != 0)
    return fprintf(stderr, "scree: completion: name one shell: scree completion bash, or scree completion zsh\n"), 2;
  if (is_zsh) printf("#compdef scree\n");
  put_tables();
  fputs(is_zsh ? zsh : bash, stdout);
  if (fflush(stdout) == 0) return 0;
  perror("scree: standard output");
  return 1;
}
