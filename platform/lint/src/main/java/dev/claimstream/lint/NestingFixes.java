package dev.claimstream.lint;

import dev.claimstream.lint.MappingText.FieldText;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Moves fields that are one level too high or too low. */
final class NestingFixes {
    private static final Set<String> FLAT = MisplacedFields.OF_REQUEST;

    private NestingFixes() {}

    static List<LintFix> of(SourceObject object) {
        List<LintFix> fixes = new ArrayList<>();
        boolean isNested = object.isResource() && !object.apiVersion().endsWith("v1beta1");
        if (isNested && !object.apiVersion().contains("alpha")) {
            ObjectParts.devices(object)
                    .ifPresent(devices -> devices.items("requests")
                            .forEach(request ->
                                    nestRequest(object, request.node()).ifPresent(fixes::add)));
            ObjectParts.deviceParts(object)
                    .forEach(device -> unwrapped(object, device.node(), "basic", LintRule.BASIC_DEVICE)
                            .ifPresent(fixes::add));
            template(object).ifPresent(fixes::add);
        }
        ObjectParts.pods(object).stream()
                .flatMap(spec -> spec.items("resourceClaims").stream())
                .forEach(entry -> unwrapped(object, entry.node(), "source", LintRule.CLAIM_SOURCE)
                        .ifPresent(fixes::add));
        return fixes;
    }

    private static Optional<MappingText> pieces(SourceObject object, SourceNode node) {
        return node instanceof SourceMapping mapping ? MappingText.of(object.source(), mapping) : Optional.empty();
    }

    private static List<FieldText> select(MappingText pieces, Predicate<FieldText> condition) {
        return pieces.all().stream().filter(condition).toList();
    }

    /** Adds {@code exactly} to a flat request {@code - {name, deviceClassName, count}}. */
    private static Optional<LintFix> nestRequest(SourceObject object, SourceNode request) {
        boolean isFlat =
                FLAT.stream().anyMatch(request::has) && !request.has("exactly") && !request.has("firstAvailable");
        return Optional.of(request)
                .filter(_ -> isFlat)
                .flatMap(each -> pieces(object, each))
                .map(pieces -> LintFix.of(LintRule.FLAT_REQUEST, pieces.rewritten(exactly(pieces))));
    }

    /** Returns the fields of a request with its device fields under {@code exactly}, after the others. */
    private static List<FieldText> exactly(MappingText pieces) {
        List<FieldText> flat = select(pieces, piece -> FLAT.contains(piece.name()));
        List<FieldText> others = select(pieces, piece -> !FLAT.contains(piece.name()));
        return Stream.concat(others.stream(), Stream.of(pieces.nested("exactly", flat)))
                .toList();
    }

    /** Replaces a field by the fields that it contains. */
    private static Optional<LintFix> unwrapped(SourceObject object, SourceNode holder, String field, LintRule rule) {
        Optional<MappingText> outer = pieces(object, holder);
        Optional<MappingText> inner = holder.get(field).flatMap(value -> pieces(object, value));
        if (outer.isEmpty() || inner.isEmpty()) {
            return Optional.empty();
        }
        List<FieldText> fields = outer.get().all().stream()
                .flatMap(piece -> piece.name().equals(field)
                        ? Stream.concat(comments(piece), inner.get().all().stream())
                        : Stream.of(piece))
                .toList();
        return Optional.of(LintFix.of(rule, outer.get().rewritten(fields)));
    }

    private static Stream<FieldText> comments(FieldText piece) {
        return piece.comments().isEmpty() ? Stream.empty() : Stream.of(new FieldText("", piece.comments()));
    }

    /** Moves {@code spec.devices} of a template to {@code spec.spec}, and {@code spec.spec} of a claim to {@code spec}. */
    private static Optional<LintFix> template(SourceObject object) {
        Optional<SourceNode> spec = object.root().get("spec");
        if (spec.isEmpty()) {
            return Optional.empty();
        }
        SourceNode node = spec.get();
        return switch (object.kind()) {
            case "ResourceClaim" ->
                node.has("spec") && !node.has("devices")
                        ? unwrapped(object, node, "spec", LintRule.TEMPLATE_SPEC)
                        : Optional.empty();
            case "ResourceClaimTemplate" ->
                node.has("devices") && !node.has("spec")
                        ? pieces(object, node)
                                .map(pieces -> LintFix.of(LintRule.TEMPLATE_SPEC, pieces.rewritten(inner(pieces))))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static List<FieldText> inner(MappingText pieces) {
        List<FieldText> outer = select(pieces, piece -> piece.name().equals("metadata"));
        List<FieldText> inner = select(pieces, piece -> !piece.name().equals("metadata"));
        return Stream.concat(outer.stream(), Stream.of(pieces.nested("spec", inner)))
                .toList();
    }
}
