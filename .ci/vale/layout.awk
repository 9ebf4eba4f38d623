# Lengths that Vale does not measure. Prints file:line: rule: message.
#   *.md    LineLength: at most 120 characters; tables, code and the targets of links do not count.
#           ParagraphLength: at most 4 lines, in README.md.
#   *.java  JavadocSentence: the first sentence of the Javadoc of a public type has at most 20 words.
# Runs with LC_ALL=C, so that every awk counts bytes alike; `characters` counts code points.

function characters(text) {
  gsub(/[\200-\277]/, "", text)
  return length(text)
}

function report(line, rule, message) { printf "%s:%d: %s: %s\n", file, line, rule, message }

function end_paragraph() {
  if (readme && lines > 4) report(first, "ParagraphLength", "Divide the paragraph of " lines " lines; write at most 4, or a list.")
  lines = 0
}

function measure_markdown(text, visible) {
  if (text ~ /^ *(```|~~~)/) { fenced = !fenced; end_paragraph(); return }
  if (fenced) return
  if (text ~ /^ *$/) { end_paragraph(); blank = 1; return }
  # After an empty line, four spaces begin a code block; inside a list item, four more than its text has.
  if (blank && text ~ /^[^ ]/ && text !~ /^([-*]|[0-9]+\.) /) item = 0
  if (blank && match(text, /^ */) && RLENGTH >= item + 4) code = 1
  else if (match(text, /^ */) && RLENGTH < item + 4) code = 0
  blank = 0
  if (code) { blank = 1; return }
  if (text ~ /^ *\|/) { end_paragraph(); return }
  visible = text ~ /^ *`[^`]*`[.,:;]?$/ ? "" : text # one code span cannot be wrapped
  gsub(/\]\([^)]*\)/, "]", visible)
  gsub(/https?:[^ )>]*/, "", visible)
  if (characters(visible) > 120) report(FNR, "LineLength", "Wrap the line of " characters(visible) " characters at 120.")
  if (text ~ /^ *#/) { end_paragraph(); return }
  if (match(text, /^ *([-*]|[0-9]+\.) +/)) { end_paragraph(); item = RLENGTH }
  if (lines++ == 0) first = FNR
}

function first_sentence(text) {
  gsub(/\{@[a-z]+ /, "", text)
  gsub(/[{}]/, "", text)
  sub(/<p>.*/, "", text)
  if (match(text, /[.!?]( |$)/)) text = substr(text, 1, RSTART)
  return text
}

function measure_java(text, words, count) {
  if (text ~ /^ *\/\*\*/) { doc = ""; doc_line = FNR; documenting = 1; tags = 0 }
  if (documenting) {
    ending = text ~ /\*\//
    sub(/^ *\/?\*+\/?/, "", text)
    sub(/\*\/.*/, "", text)
    if (text ~ /^ *@/) tags = 1
    if (!tags) doc = doc " " text
    if (ending) { documenting = 0; pending = 1 }
    return
  }
  if (!pending || text ~ /^ *(@.*)?$/) return
  if (text ~ /^ *public .*(class|interface|record|enum) / && text !~ /^[^(]*=/) {
    sub(/^ +/, "", doc)
    count = split(first_sentence(doc), words, / +/)
    if (count > 0 && words[count] == "") count--
    if (count > 20) report(doc_line, "JavadocSentence", "Shorten the first sentence of " count " words to at most 20.")
  }
  pending = 0
}

FNR == 1 {
  if (file != "") end_paragraph()
  file = FILENAME
  sub(/^\.\//, "", file)
  readme = file ~ /(^|\/)README\.md$/
  markdown = file ~ /\.md$/
  fenced = code = item = lines = documenting = pending = 0
  blank = 1
}
markdown { measure_markdown($0) }
!markdown { measure_java($0) }
END { if (file != "") end_paragraph() }
