package dev.claimstream.lint;

import dev.claimstream.lint.Pieces.Piece;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.Mapping;
import dev.claimstream.manifests.source.SourceNode.Scalar;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Converts objects of the API before 1.31. Fields without a counterpart are kept as comments. */
final class OldKindFixes {
    private OldKindFixes() {}

    static List<Fix> of(Written object) {
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

    private static Optional<Pieces> pieces(Written object, SourceNode node) {
        return node instanceof Mapping mapping
                ? Pieces.of(object.source(), mapping).filter(Pieces::isBlock)
                : Optional.empty();
    }

    /**
     * Converts a ResourceClass with a driver into a DeviceClass that selects its devices. Without the driver it would select all devices.
     */
    private static Optional<Fix> resourceClass(Written object) {
        Optional<String> driver = object.root()
                .text("driverName")
                .or(() -> object.root()
                        .at("structuredParameters", "generatedFrom")
                        .flatMap(from -> from.text("driverName")));
        if (driver.isEmpty()) {
            return Optional.empty();
        }
        return pieces(object, object.root()).map(pieces -> {
            List<Piece> fields = new ArrayList<>();
            for (Piece piece : pieces.all()) {
                switch (piece.name()) {
                    case "apiVersion" -> fields.add(changed(piece, object.apiVersion(), KindRules.V1));
                    case "kind" -> fields.add(changed(piece, "ResourceClass", "DeviceClass"));
                    case "metadata" -> fields.add(piece);
                    case "driverName" -> fields.addAll(comments(piece));
                    default -> fields.add(piece.commented());
                }
            }
            fields.add(new Piece(
                    "spec",
                    List.of(
                            "spec:",
                            "  selectors:",
                            "  - cel:",
                            "      expression: device.driver == \"%s\"".formatted(driver.get()))));
            return Fix.of(Rule.REMOVED_API, pieces.rewritten(fields));
        });
    }

    private static Piece changed(Piece piece, String old, String now) {
        List<String> lines = new ArrayList<>(piece.lines());
        int last = lines.size() - 1;
        lines.set(last, lines.get(last).replaceFirst(Pattern.quote(old), now));
        return new Piece(piece.name(), lines);
    }

    private static List<Piece> comments(Piece piece) {
        return piece.comments().isEmpty() ? List.of() : List.of(new Piece("", piece.comments()));
    }

    /** Converts a claim for a resource class into a claim for devices of the class: one, or the number in its parameters. */
    private static Optional<Fix> claim(Written object, SourceNode spec) {
        Optional<String> className = spec.text("resourceClassName").filter(_ -> !spec.has("devices"));
        if (className.isEmpty()) {
            return Optional.empty();
        }
        List<String> lines = new ArrayList<>(List.of(
                "devices:",
                "  requests:",
                "  - name: device",
                "    exactly:",
                "      deviceClassName: " + className.get()));
        count(spec).ifPresent(count -> lines.add("      count: " + count));
        return pieces(object, spec).map(pieces -> {
            List<Piece> fields = new ArrayList<>();
            fields.add(new Piece("devices", lines));
            pieces.all().stream()
                    .filter(piece -> !piece.name().equals("resourceClassName"))
                    .map(Piece::commented)
                    .forEach(fields::add);
            return Fix.of(Rule.ALPHA_CLAIM, pieces.rewritten(fields));
        });
    }

    private static Optional<String> count(SourceNode spec) {
        return spec.at("parameters", "count")
                .filter(count -> count instanceof Scalar scalar && scalar.type() == ScalarType.INTEGER)
                .map(count -> ((Scalar) count).text());
    }
}
