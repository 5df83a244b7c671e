# shellcheck shell=bash
# Lists the files of the project; sourced.

# source_files PATTERN: prints the tracked files whose names match an extended regular expression. Without git, as in an
# unpacked archive, prints all files except those that the build creates. Omits deleted files, which git still
# lists.
source_files() {
  {
    git ls-files 2>/dev/null || find . -name target -prune -o -path ./.git -prune -o -type f -printf '%P\n'
  } | grep -E "$1" | perl -ne 'chomp; print "$_\n" if -e'
}
