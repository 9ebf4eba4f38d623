package dev.claimstream.lint;

import dev.claimstream.lint.Pieces.Piece;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Moves fields that are one level too high or too low. */
final class ShapeFixes {
    private static final Set<String> FLAT = Set.of(
            "deviceClassName",
            "selectors",
            "allocationMode",
            "count",
            "adminAccess",
            "tolerations",
            "capacity",
            "derivedAttributes");

    private ShapeFixes() {}

    static List<Fix> of(Written object) {
        List<Fix> fixes = new ArrayList<>();
        boolean isNested = object.isResource() && !object.apiVersion().endsWith("v1beta1");
        if (isNested && !object.apiVersion().contains("alpha")) {
            Specs.devices(object)
                    .ifPresent(devices -> devices.items("requests")
                            .forEach(request -> flat(object, request.node()).ifPresent(fixes::add)));
            Specs.published(object)
                    .forEach(device -> unwrapped(object, device.node(), "basic", Rule.BASIC_DEVICE)
                            .ifPresent(fixes::add));
            template(object).ifPresent(fixes::add);
        }
        Specs.pod(object).stream()
                .flatMap(spec -> spec.items("resourceClaims").stream())
                .forEach(entry -> unwrapped(object, entry.node(), "source", Rule.CLAIM_SOURCE)
                        .ifPresent(fixes::add));
        suitableNodes(object).ifPresent(fixes::add);
        return fixes;
    }

    private static Optional<Pieces> pieces(Written object, SourceNode node) {
        return node instanceof Mapping mapping ? Pieces.of(object.source(), mapping) : Optional.empty();
    }

    private static List<Piece> select(Pieces pieces, Predicate<Piece> condition) {
        return pieces.all().stream().filter(condition).toList();
    }

    /** Adds {@code exactly} to a flat request {@code - {name, deviceClassName, count}}. */
    private static Optional<Fix> flat(Written object, SourceNode request) {
        boolean isFlat =
                FLAT.stream().anyMatch(request::has) && !request.has("exactly") && !request.has("firstAvailable");
        return Optional.of(request)
                .filter(_ -> isFlat)
                .flatMap(each -> pieces(object, each))
                .map(pieces -> Fix.of(Rule.FLAT_REQUEST, pieces.rewritten(exactly(pieces))));
    }

    /** Returns the fields of a request with its device fields under {@code exactly}, after the others. */
    private static List<Piece> exactly(Pieces pieces) {
        List<Piece> flat = select(pieces, piece -> FLAT.contains(piece.name()));
        List<Piece> others = select(pieces, piece -> !FLAT.contains(piece.name()));
        return Stream.concat(others.stream(), Stream.of(pieces.nested("exactly", flat)))
                .toList();
    }

    /** Replaces a field by the fields that it contains. */
    private static Optional<Fix> unwrapped(Written object, SourceNode holder, String field, Rule rule) {
        Optional<Pieces> outer = pieces(object, holder);
        Optional<Pieces> inner = holder.get(field).flatMap(value -> pieces(object, value));
        if (outer.isEmpty() || inner.isEmpty()) {
            return Optional.empty();
        }
        List<Piece> fields = outer.get().all().stream()
                .flatMap(piece -> piece.name().equals(field)
                        ? Stream.concat(comments(piece), inner.get().all().stream())
                        : Stream.of(piece))
                .toList();
        return Optional.of(Fix.of(rule, outer.get().rewritten(fields)));
    }

    private static Stream<Piece> comments(Piece piece) {
        return piece.comments().isEmpty() ? Stream.empty() : Stream.of(new Piece("", piece.comments()));
    }

    /** Moves {@code spec.devices} of a template to {@code spec.spec}, and {@code spec.spec} of a claim to {@code spec}. */
    private static Optional<Fix> template(Written object) {
        Optional<SourceNode> spec = object.root().get("spec");
        if (spec.isEmpty()) {
            return Optional.empty();
        }
        SourceNode node = spec.get();
        return switch (object.kind()) {
            case "ResourceClaim" ->
                node.has("spec") && !node.has("devices")
                        ? unwrapped(object, node, "spec", Rule.TEMPLATE_SPEC)
                        : Optional.empty();
            case "ResourceClaimTemplate" ->
                node.has("devices") && !node.has("spec")
                        ? pieces(object, node)
                                .map(pieces -> Fix.of(Rule.TEMPLATE_SPEC, pieces.rewritten(inner(pieces))))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static List<Piece> inner(Pieces pieces) {
        List<Piece> outer = select(pieces, piece -> piece.name().equals("metadata"));
        List<Piece> inner = select(pieces, piece -> !piece.name().equals("metadata"));
        return Stream.concat(outer.stream(), Stream.of(pieces.nested("spec", inner)))
                .toList();
    }

    /** Comments out {@code suitableNodes}: the field was removed without a replacement, and the comment keeps its meaning. */
    private static Optional<Fix> suitableNodes(Written object) {
        Optional<SourceNode> spec = object.root()
                .get("spec")
                .filter(each -> object.isResource() && object.kind().equals("DeviceClass"))
                .filter(each -> each.has("suitableNodes") && each.fields().size() > 1);
        return spec.flatMap(each -> pieces(object, each))
                .filter(Pieces::isBlock)
                .map(pieces -> pieces.rewritten(pieces.all().stream()
                        .map(piece -> piece.name().equals("suitableNodes") ? piece.commented() : piece)
                        .toList()))
                .map(edit -> Fix.of(Rule.SUITABLE_NODES, edit));
    }
}
