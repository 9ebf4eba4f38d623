# Copies files into the folder `out`, Java with blanks for literals in comments: {@code ...}, targets of {@link ...}, <code>, <pre> and `...`. Lines
# and columns stay. What is blanked in code does no harm: it is not checked.

function blank(text) {
  gsub(/./, " ", text)
  return text
}

# Blanks from START to END on this line, or on all lines up to one with END.
function blank_between(text, start, end, done, rest) {
  done = ""
  while (open == end || open == "" && match(text, start)) {
    if (open == "") {
      done = done substr(text, 1, RSTART + RLENGTH - 1)
      text = substr(text, RSTART + RLENGTH)
    }
    if (match(text, end)) {
      done = done blank(substr(text, 1, RSTART - 1))
      text = substr(text, RSTART)
      open = ""
      if (start == "`") {
        done = done "`"
        text = substr(text, 2)
      }
    } else if (start == "`") {
      return done text
    } else {
      # The decoration of the line stays, and the end of the comment.
      open = text ~ /\*\// ? "" : end
      match(text, /^ *\*?/)
      rest = substr(text, RLENGTH + 1)
      sub(/\*\/.*/, "", rest)
      return done substr(text, 1, RLENGTH) blank(rest) substr(text, RLENGTH + 1 + length(rest))
    }
  }
  return done text
}

FNR == 1 {
  markdown = FILENAME ~ /\.md$/
  if (target != "") close(target)
  target = out "/" FILENAME
  open = ""
}
{
  line = $0
  if (!markdown && (line ~ /^ *(\/\*|\*|\/\/)/ || open != "" || line ~ /\{@code|`/)) {
    line = blank_between(line, "\\{@(code|literal|value|link|linkplain) ", "}")
    line = blank_between(line, "<pre>", "</pre>")
    line = blank_between(line, "<code>", "</code>")
    line = blank_between(line, "`", "`")
  }
  if (markdown && line ~ /^\| `claimstream_/) line = "" # a row of meters: a test compares it with the text in the code
  print line >target
}
