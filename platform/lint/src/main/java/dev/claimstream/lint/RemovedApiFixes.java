package dev.claimstream.lint;

import dev.claimstream.lint.MappingText.FieldText;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceMapping;
import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Converts objects of the API before 1.31. Fields without a counterpart stay as they are, and are findings. */
final class RemovedApiFixes {
    private RemovedApiFixes() {}

    static List<LintFix> of(SourceObject object) {
        if (!object.isResource()) {
            return List.of();
        }
        return switch (object.kind()) {
            case "ResourceClass" -> resourceClass(object).stream().toList();
            case "ResourceClaim" ->
                object.root().get("spec").flatMap(spec -> claim(object, spec)).stream()
                        .toList();
            case "ResourceClaimTemplate" ->
                object.root().at("spec", "spec").flatMap(spec -> claim(object, spec)).stream()
                        .toList();
            default -> List.of();
        };
    }

    private static Optional<MappingText> pieces(SourceObject object, SourceNode node) {
        return node instanceof SourceMapping mapping
                ? MappingText.of(object.source(), mapping).filter(MappingText::isBlock)
                : Optional.empty();
    }

    /**
     * Converts a ResourceClass with a driver into a DeviceClass that selects its devices. Without the driver it would select all devices.
     */
    private static Optional<LintFix> resourceClass(SourceObject object) {
        Optional<String> driver = object.root()
                .text("driverName")
                .or(() -> object.root()
                        .at("structuredParameters", "generatedFrom")
                        .flatMap(from -> from.text("driverName")));
        if (driver.isEmpty()) {
            return Optional.empty();
        }
        return pieces(object, object.root())
                .map(pieces -> {
                    List<FieldText> fields = new ArrayList<>();
                    for (FieldText piece : pieces.all()) {
                        switch (piece.name()) {
                            case "apiVersion" -> fields.add(changed(piece, object.apiVersion(), KindRules.V1));
                            case "kind" -> fields.add(changed(piece, "ResourceClass", "DeviceClass"));
                            case "metadata" -> fields.add(piece);
                            case "driverName" -> fields.addAll(comments(piece));
                            case "structuredParameters" ->
                                fields.addAll(isDriverOnly(object) ? comments(piece) : List.of(piece));
                            default -> fields.add(piece);
                        }
                    }
                    fields.add(new FieldText(
                            "spec",
                            List.of(
                                    "spec:",
                                    "  selectors:",
                                    "  - cel:",
                                    "      expression: device.driver == \"%s\"".formatted(driver.get()))));
                    return LintFix.of(LintRule.REMOVED_API, pieces.rewritten(fields));
                })
                .filter(_ -> isOnOneLine(object, "apiVersion") && isOnOneLine(object, "kind"));
    }

    /** Returns whether a name and its value are on one line. */
    private static boolean isOnOneLine(SourceObject object, String field) {
        return object.root().fields().stream()
                .filter(entry -> entry.name().equals(field))
                .allMatch(entry -> object.source().line(entry.key().span().start())
                        == object.source().line(entry.value().span().start()));
    }

    /** Returns whether structuredParameters contain nothing but the name of the driver, which the selector contains. */
    private static boolean isDriverOnly(SourceObject object) {
        return object.root()
                .get("structuredParameters")
                .filter(all -> all.fields().size() == 1)
                .flatMap(all -> all.get("generatedFrom"))
                .filter(from ->
                        from.fields().size() == 1 && from.text("driverName").isPresent())
                .filter(_ -> !object.root().has("driverName"))
                .isPresent();
    }

    /** Changes the value of a field on the line of its name; the lines below it can be comments. */
    private static FieldText changed(FieldText piece, String old, String now) {
        List<String> lines = new ArrayList<>(piece.lines());
        int line = piece.lines()
                .indexOf(piece.lines().stream()
                        .filter(each -> !each.strip().startsWith("#") && !each.isBlank())
                        .findFirst()
                        .orElseThrow());
        lines.set(line, lines.get(line).replaceFirst(Pattern.quote(old), now));
        return new FieldText(piece.name(), lines);
    }

    private static List<FieldText> comments(FieldText piece) {
        return piece.comments().isEmpty() ? List.of() : List.of(new FieldText("", piece.comments()));
    }

    /**
     * Converts a claim for a resource class into a claim for devices of the class: one, or the number in its parameters. Fields that a
     * request has in v1 move into the request; the others stay, and are findings.
     */
    private static Optional<LintFix> claim(SourceObject object, SourceNode spec) {
        Optional<String> className = spec.text("resourceClassName").filter(_ -> !spec.has("devices"));
        if (className.isEmpty()) {
            return Optional.empty();
        }
        return pieces(object, spec).map(pieces -> {
            List<String> lines = new ArrayList<>(List.of(
                    "devices:",
                    "  requests:",
                    "  - name: device",
                    "    exactly:",
                    "      deviceClassName: " + className.get()));
            Optional<String> count = count(spec);
            count.ifPresent(number -> lines.add("      count: " + number));
            List<FieldText> fields = new ArrayList<>();
            for (FieldText piece : pieces.all()) {
                if (piece.name().equals("resourceClassName")
                        || (piece.name().equals("parameters") && count.isPresent())) {
                    fields.addAll(comments(piece));
                } else if (isOfRequest(spec, piece.name())) {
                    piece.lines().forEach(line -> lines.add(MappingText.indented(line, 6)));
                } else {
                    fields.add(piece);
                }
            }
            fields.addFirst(new FieldText("devices", lines));
            return LintFix.of(LintRule.ALPHA_CLAIM, pieces.rewritten(fields));
        });
    }

    private static boolean isOfRequest(SourceNode spec, String field) {
        boolean isMode = field.equals("allocationMode")
                && spec.text(field).filter(text -> text.startsWith("WaitFor")).isPresent();
        return MisplacedFields.OF_REQUEST.contains(field) && !isMode && !field.equals("deviceClassName");
    }

    /** Returns the number of devices in parameters that contain nothing else. */
    private static Optional<String> count(SourceNode spec) {
        boolean isOnly =
                spec.get("parameters").filter(all -> all.fields().size() == 1).isPresent() && !spec.has("count");
        return spec.at("parameters", "count")
                .filter(count -> isOnly && count instanceof SourceScalar scalar && scalar.type() == ScalarType.INTEGER)
                .map(count -> ((SourceScalar) count).text());
    }
}
