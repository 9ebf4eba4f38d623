package dev.claimstream.manifests;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognises texts that are not yet manifests: templates before rendering, and excerpts of pages that leave parts out.
 *
 * <p>It reads line by line and ignores comments, quoted text and blocks of text, in which braces and dots have no meaning. Variables of a
 * shell are valid in many values, so only the errors that they cause show that another program replaces them.
 */
public final class UnfinishedText {
    private static final String DOTS = "(?:\\.\\.\\.|\u2026|<\\.\\.\\.>)";
    private static final Pattern HELM = Pattern.compile(
            "\\{\\{-?\\s*[^}\"]*(?:\\.Values\\b|\\.Release\\b|\\.Chart\\b|\\.Capabilities\\b|\\b(?:include|tpl)\\s)");
    private static final Pattern ACTION_LINE =
            Pattern.compile("^\\s*\\{\\{-?\\s*(?:if|else|end|range|with|define|block|template|include|/\\*)");
    private static final Pattern ACTION_VALUE = Pattern.compile("(?:^\\s*|[:\\-\\[,]\\s+)\\{\\{");
    private static final Pattern ACTION_IN_NAME =
            Pattern.compile("(?i)^[\\s-]*\\w*(?:name|namespace|image|kind|version):\\s+\\S*\\{\\{");
    /** A value of Helm in the quotes of a name, which is never valid as it is. */
    private static final Pattern QUOTED_NAME = Pattern.compile("(?i)^[\\s-]*(?:\\w*name|namespace|kind|apiVersion):\\s+"
            + "[\"']+[^\"'#]*\\{\\{-?\\s*\\.(?:Values|Release|Chart|Capabilities)\\b");

    private static final Pattern STATEMENT = Pattern.compile("^\\s*\\{%");
    private static final Pattern LEFT_OUT =
            Pattern.compile("^[\\s-]+%1$s,?$|^\u2026$|[:?]\\s+%1$s,?$|[\\[{,]\\s*%1$s\\s*[\\]},]".formatted(DOTS));
    private static final Pattern BLOCK = Pattern.compile("^( *(?:- +)*)(.*?)(?:^|: +|\\s)?[|>][-+0-9]*\\s*$");

    /** An expression of Argo Workflows, which Argo evaluates in the applied object. */
    private static final Pattern ARGO_EXPRESSION = Pattern.compile(
            "\\{\\{\\s*(?:=|(?:inputs|outputs|item|workflow|steps|tasks|pod|retries|lastRetry|node|cronworkflow)\\b)[^}]*}}");

    private static final Pattern ARGO_VERSION = Pattern.compile("^\\s*apiVersion:\\s+[\"']?argoproj\\.io/");
    /** The begin of a document without a separator, which can follow the end of another one. */
    private static final Pattern BARE_DOCUMENT = Pattern.compile("(?i)^(?:apiVersion:|kind:|\\{|%|---|\\.\\.\\.)");

    /** The notations of envsubst, of make and Azure, and of scripts that replace words. */
    private static final Pattern VARIABLE = Pattern.compile(
            "\\$\\{[A-Za-z_]\\w*(?::?[-=?+][^}]*)?}|\\$[A-Z_][A-Z0-9_]+|\\$\\([A-Za-z_][\\w.-]*\\)|__[A-Z][A-Z0-9_]*__");

    /** A variable whose braces can make a line invalid YAML; the other notations cannot. */
    private static final Pattern BRACED_VARIABLE = Pattern.compile("\\$\\{[A-Za-z_]\\w*(?::?[-=?+][^}]*)?}");

    /** The rest of a value whose variables are its only fault; expressions have other characters. */
    private static final Pattern SOUND_REST = Pattern.compile("[A-Za-z0-9._/:-]*");

    private static final Pattern SOUND_NAME_REST = Pattern.compile("[a-z0-9.-]*");

    private static final String VARIABLES = "looks like a template with variables";
    private static final String BEFORE_VALUE = "[{,:-?(";

    private int number;
    private int endMark;
    private boolean isArgo;
    /** The quote of a scalar that continues on the next line; 0 if there is none. */
    private char openQuote;

    private int blockIndent = -1;
    private final Map<Integer, String> variables = new HashMap<>();
    private Optional<UnfinishedSign> template = Optional.empty();
    private Optional<UnfinishedSign> excerpt = Optional.empty();

    /** The line that shows what the text is. */
    private record UnfinishedSign(int line, String what) {}

    /** Returns the finding about a whole text; empty if the text is finished. */
    public static Optional<ManifestFinding> finding(String file, String text) {
        UnfinishedText unfinished = new UnfinishedText();
        text.lines().forEach(unfinished::read);
        return unfinished.finding(file);
    }

    /**
     * Returns the finding about a whole text whose variables another program replaces; empty if no error comes from a variable.
     *
     * @param found the findings about the text
     */
    public static Optional<ManifestFinding> variables(String file, String text, List<ManifestFinding> found) {
        UnfinishedText unfinished = new UnfinishedText();
        text.lines().forEach(unfinished::read);
        return unfinished.variables(file, found);
    }

    /** Returns whether a finding says that variables are not replaced yet. */
    public static boolean isAboutVariables(ManifestFinding finding) {
        return finding.message().startsWith(VARIABLES);
    }

    /** Returns the finding about variables in the lines so far, of which one causes an error. */
    Optional<ManifestFinding> variables(String file, List<ManifestFinding> found) {
        return found.stream()
                .filter(ManifestFinding::isError)
                .flatMap(error -> variable(error).stream()
                        .map(variable -> ManifestFinding.error(
                                new SourceLocation(file, error.location().line(), 1),
                                "%s: %s".formatted(VARIABLES, variable),
                                isOfShell(variable)
                                        ? "replace the variables first, for example with envsubst, and check the result"
                                        : "replace the variables first, and check the result")))
                .findFirst();
    }

    /** Returns whether envsubst replaces a variable. */
    private static boolean isOfShell(String variable) {
        return variable.startsWith("$") && !variable.startsWith("$(");
    }

    /** Returns the variable that an error is about: in a value without other faults, or on the line that is no YAML. */
    private Optional<String> variable(ManifestFinding error) {
        return variableIn(error)
                .or(() -> Optional.of(error)
                        .filter(_ -> error.field().isEmpty())
                        .map(_ -> variables.get(error.location().line())));
    }

    private static Optional<String> variableIn(ManifestFinding error) {
        Matcher value = VARIABLE.matcher(error.value());
        Pattern sound =
                error.field().toLowerCase(Locale.ROOT).matches(".*name(?:space)?") ? SOUND_NAME_REST : SOUND_REST;
        return Optional.of(value)
                .filter(Matcher::find)
                .map(Matcher::group)
                .filter(_ -> sound.matcher(value.replaceAll("")).matches());
    }

    /** Returns the finding about the lines so far; empty if they are finished. */
    Optional<ManifestFinding> finding(String file) {
        Optional<ManifestFinding> rendered = template.map(sign -> ManifestFinding.error(
                new SourceLocation(file, sign.line, 1),
                "looks like a %s template".formatted(sign.what),
                sign.what.equals("Helm")
                        ? "render it first, for example with helm template, and check the result"
                        : "render it first, and check the result"));
        return rendered.or(() -> excerpt.map(sign -> ManifestFinding.error(
                new SourceLocation(file, sign.line, 1),
                "%s stands for a part that is left out".formatted(sign.what),
                "write the part, or delete the line")));
    }

    /** Reads the next line. */
    void read(String line) {
        number++;
        boolean isSeparator = line.startsWith("---");
        openQuote = isSeparator ? 0 : openQuote;
        isArgo = !isSeparator && (isArgo || ARGO_VERSION.matcher(line).find());
        if (template.isEmpty() && (openQuote != 0 || !isInBlock(line))) {
            readOutsideBlock(line);
        }
    }

    private boolean isInBlock(String line) {
        boolean isInside = blockIndent >= 0 && (line.isBlank() || indent(line) > blockIndent);
        blockIndent = isInside ? blockIndent : -1;
        return isInside;
    }

    private static int indent(String line) {
        return line.length() - line.stripLeading().length();
    }

    private void readOutsideBlock(String line) {
        boolean isHelmName = openQuote == 0 && QUOTED_NAME.matcher(line).find();
        String unquoted = plain(line);
        String plain = isArgo ? ARGO_EXPRESSION.matcher(unquoted).replaceAll("x") : unquoted;
        if (plain.isBlank()) {
            return;
        }
        Matcher variable = BRACED_VARIABLE.matcher(plain);
        if (plain.indexOf('$') >= 0 && variable.find()) {
            variables.put(number, variable.group());
        }
        if (isHelmName || (plain.contains("{{") && HELM.matcher(plain).find())) {
            template = Optional.of(new UnfinishedSign(number, "Helm"));
        } else if (STATEMENT.matcher(plain).find()) {
            template = Optional.of(new UnfinishedSign(number, "Jinja"));
        } else if (plain.contains("{{") && isAction(plain)) {
            template = Optional.of(
                    new UnfinishedSign(number, ACTION_LINE.matcher(plain).find() ? "Helm" : "Go"));
        }
        dots(plain);
        Matcher block = BLOCK.matcher(plain);
        if ((plain.contains("|") || plain.contains(">")) && block.matches()) {
            blockIndent = Math.max(0, block.group(1).length() - (block.group(2).isEmpty() ? 2 : 0));
        }
    }

    private static boolean isAction(String plain) {
        return ACTION_VALUE.matcher(plain).find()
                || ACTION_IN_NAME.matcher(plain).find();
    }

    /** Finds dots in the place of a value. A line of three dots ends a document if no content follows it. */
    private void dots(String plain) {
        if (endMark > 0 && !BARE_DOCUMENT.matcher(plain).find()) {
            excerpt = excerpt.or(() -> Optional.of(new UnfinishedSign(endMark, "...")));
        }
        endMark = plain.strip().equals("...") && indent(plain) == 0 ? number : 0;
        Matcher dots = LEFT_OUT.matcher(plain.stripTrailing());
        if (excerpt.isEmpty() && (plain.contains("...") || plain.contains("\u2026")) && dots.find()) {
            excerpt = Optional.of(new UnfinishedSign(number, plain.contains("\u2026") ? "\u2026" : "..."));
        }
    }

    /**
     * Returns a line without quoted text and without its comment.
     *
     * <p>A quoted scalar can continue on the next line; a quote inside a plain scalar ends with its line at the latest.
     */
    private String plain(String line) {
        StringBuilder plain = new StringBuilder(line.length());
        char quote = openQuote;
        boolean isScalar = openQuote != 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            char before = i == 0 ? ' ' : line.charAt(i - 1);
            if (quote != 0) {
                boolean isEscape =
                        quote == '"' ? c == '\\' : c == quote && i + 1 < line.length() && line.charAt(i + 1) == quote;
                i += isEscape ? 1 : 0;
                quote = c == quote && !isEscape ? 0 : quote;
            } else if ((c == '"' || c == '\'') && " \t[{,:(".indexOf(before) >= 0) {
                quote = c;
                isScalar = isBeforeValue(plain);
                plain.append('"');
            } else if (c == '#' && Character.isWhitespace(before)) {
                break;
            } else {
                plain.append(c);
            }
        }
        openQuote = isScalar ? quote : 0;
        return plain.toString();
    }

    /** Returns whether a value can begin after a text. */
    private static boolean isBeforeValue(CharSequence text) {
        String before = text.toString().stripTrailing();
        return before.isEmpty() || BEFORE_VALUE.indexOf(before.charAt(before.length() - 1)) >= 0;
    }
}
