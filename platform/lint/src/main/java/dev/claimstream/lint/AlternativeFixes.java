package dev.claimstream.lint;

import dev.claimstream.lint.MappingText.FieldText;
import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceMapping;
import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import dev.claimstream.manifests.source.SourceNode.SourceSequence;
import dev.claimstream.manifests.source.SourceText;
import dev.claimstream.manifests.source.TextSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Replaces requests that a constraint with {@code anyOf} declares as alternatives by one request with {@code firstAvailable}. */
final class AlternativeFixes {
    private static final int NAME_MAX = 63;
    private static final int ALTERNATIVES_MAX = 8;

    private final SourceText source;
    private final ObjectPart devices;

    private AlternativeFixes(SourceObject object, ObjectPart devices) {
        this.source = object.source();
        this.devices = devices;
    }

    static List<LintFix> of(SourceObject object) {
        return ObjectParts.devices(object)
                .map(devices -> new AlternativeFixes(object, devices))
                .flatMap(AlternativeFixes::fix)
                .stream()
                .toList();
    }

    private Optional<LintFix> fix() {
        return devices.items("constraints").stream()
                .filter(each -> each.node().text("anyOf").filter("true"::equals).isPresent())
                .findFirst()
                .flatMap(this::fix);
    }

    private Optional<LintFix> fix(ObjectPart constraint) {
        List<String> names = texts(constraint.node().items("requests"));
        List<SourceNode> requests = devices.node().items("requests");
        List<SourceNode> chosen = requests.stream()
                .filter(each -> names.contains(each.text("name").orElse("")))
                .toList();
        String name = String.join("-or-", names);
        boolean isClear = names.size() > 1
                && names.size() <= ALTERNATIVES_MAX
                && names.equals(chosen.stream()
                        .map(each -> each.text("name").orElse(""))
                        .toList())
                && isRow(requests, chosen)
                && name.length() <= NAME_MAX;
        Optional<TextEdit> removed = isClear ? removed(constraint) : Optional.empty();
        Optional<TextEdit> merged = isClear ? merged(name, chosen) : Optional.empty();
        if (removed.isEmpty() || merged.isEmpty()) {
            return Optional.empty();
        }
        List<TextEdit> edits = new ArrayList<>(List.of(merged.get(), removed.get()));
        renamed(constraint, names, name, edits);
        return Optional.of(new LintFix(LintRule.ANY_OF, edits));
    }

    private static List<String> texts(List<SourceNode> nodes) {
        return nodes.stream()
                .filter(SourceScalar.class::isInstance)
                .map(node -> ((SourceScalar) node).text())
                .toList();
    }

    private boolean isRow(List<SourceNode> all, List<SourceNode> chosen) {
        boolean isBlock = devices.node()
                .get("requests")
                .filter(list -> list instanceof SourceSequence sequence && !sequence.isFlow())
                .isPresent();
        int first = all.indexOf(chosen.isEmpty() ? devices.node() : chosen.getFirst());
        return isBlock
                && first >= 0
                && first + chosen.size() <= all.size()
                && all.subList(first, first + chosen.size()).equals(chosen);
    }

    /** Returns one request in place of several; comments between them remain between the alternatives. */
    private Optional<TextEdit> merged(String name, List<SourceNode> requests) {
        List<String> lines = new ArrayList<>(List.of("name: " + name, "firstAvailable:"));
        int start = requests.getFirst().span().start();
        int end = start;
        for (SourceNode request : requests) {
            Optional<MappingText> pieces =
                    request instanceof SourceMapping mapping ? MappingText.of(source, mapping) : Optional.empty();
            Optional<List<FieldText>> fields = pieces.flatMap(each -> alternative(request, each));
            if (fields.isEmpty()) {
                return Optional.empty();
            }
            if (end > start) {
                lines.addAll(comments(end, request.span().start()));
            }
            lines.addAll(MappingText.item(fields.get()));
            end = MappingText.endOfLine(source, request.span().end());
        }
        int indent = source.indent(start);
        String text = lines.stream()
                .map(line -> MappingText.indented(line, indent))
                .reduce((a, b) -> a + "\n" + b)
                .orElse("")
                .substring(indent);
        return Optional.of(new TextEdit(new TextSpan(start, end), text));
    }

    private List<String> comments(int from, int to) {
        return source.text()
                .substring(from, to)
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("#"))
                .toList();
    }

    /** Returns the fields of an alternative: those of a flat request, or the name and the fields under {@code exactly}. */
    private Optional<List<FieldText>> alternative(SourceNode request, MappingText pieces) {
        Optional<SourceNode> exactly = request.get("exactly");
        boolean isPlain = !request.has("firstAvailable") && !request.has("adminAccess");
        if (exactly.isEmpty()) {
            return isPlain ? Optional.of(pieces.all()) : Optional.empty();
        }
        return exactly.filter(each -> isPlain && !each.has("adminAccess"))
                .flatMap(each ->
                        each instanceof SourceMapping mapping ? MappingText.of(source, mapping) : Optional.empty())
                .map(inner -> Stream.concat(
                                pieces.all().stream()
                                        .filter(piece -> piece.name().equals("name")),
                                inner.all().stream())
                        .toList());
    }

    /** Removes the constraint, or the whole list if it is the only item. */
    private Optional<TextEdit> removed(ObjectPart constraint) {
        List<SourceNode> all = devices.node().items("constraints");
        SourceNode.SourceField entry =
                ((SourceMapping) devices.node()).entry("constraints").orElseThrow();
        boolean isBlock = entry.value() instanceof SourceSequence sequence && !sequence.isFlow();
        TextSpan removed = all.size() == 1 ? entry.span() : constraint.node().span();
        if (!isBlock) {
            return Optional.empty();
        }
        int start = source.lineStart(removed.start());
        int end = MappingText.endOfLine(source, removed.end());
        return Optional.of(
                start == 0
                        ? new TextEdit(new TextSpan(start, end), "")
                        : new TextEdit(new TextSpan(start - 1, end), ""));
    }

    /** Makes other constraints and configurations reference the alternatives. */
    private void renamed(ObjectPart constraint, List<String> names, String name, List<TextEdit> edits) {
        for (String list : List.of("constraints", "config")) {
            for (ObjectPart each : devices.items(list)) {
                for (SourceNode request : each.node().items("requests")) {
                    boolean isNamed = request instanceof SourceScalar scalar && names.contains(scalar.text());
                    if (isNamed && each.node() != constraint.node()) {
                        edits.add(TextEdit.insert(request.span().start() + quote(request), name + "/"));
                    }
                }
            }
        }
    }

    private int quote(SourceNode node) {
        return "\"'".indexOf(source.text().charAt(node.span().start())) >= 0 ? 1 : 0;
    }
}
