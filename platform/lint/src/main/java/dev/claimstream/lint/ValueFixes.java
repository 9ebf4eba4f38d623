package dev.claimstream.lint;

import dev.claimstream.lint.Specs.Part;
import dev.claimstream.lint.cel.ExpressionText;
import dev.claimstream.lint.cel.Mistake;
import dev.claimstream.lint.cel.Mistake.Change;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.Scalar;
import dev.claimstream.manifests.source.SourceNode.Style;
import dev.claimstream.manifests.source.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Corrects the form of values: versions, names, attribute types and expressions. */
final class ValueFixes {
    private ValueFixes() {}

    static List<Fix> of(Written object) {
        List<Fix> fixes = new ArrayList<>();
        version(object).ifPresent(fixes::add);
        classNames(object, fixes);
        Specs.published(object).forEach(device -> {
            Part fields = device.get("basic").orElse(device);
            fields.get("attributes").ifPresent(all -> typed(object, all, fixes));
            fields.get("capacity").ifPresent(all -> valued(object, all, fixes));
        });
        Specs.expressions(object).forEach(expression -> expression(object, (Scalar) expression.node(), fixes));
        return fixes;
    }

    /** Replaces the text of a scalar and keeps its quotes. */
    private static Edit replaced(Scalar scalar, String text) {
        String quote = switch (scalar.style()) {
            case SINGLE_QUOTED -> "'";
            case DOUBLE_QUOTED -> "\"";
            case PLAIN, BLOCK -> "";
        };
        return new Edit(scalar.span(), quote + text + quote);
    }

    private static Optional<Fix> version(Written object) {
        boolean isOld = switch (object.kind()) {
            case "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass", "DeviceTaintRule" ->
                object.isResource()
                        && !object.apiVersion().equals(KindRules.V1)
                        && isReleased(object.apiVersion())
                        && !KindRules.isOnlyVersionOf136(object);
            default -> false;
        };
        Rule rule = object.apiVersion().contains("alpha") ? Rule.REMOVED_API : Rule.BETA_VERSION;
        return object.root()
                .get("apiVersion")
                .filter(version -> isOld && version instanceof Scalar)
                .map(version -> Fix.of(rule, replaced((Scalar) version, KindRules.V1)));
    }

    /** Returns whether the version is older than {@code v1}; a version later than the known ones is not replaced. */
    private static boolean isReleased(String apiVersion) {
        return apiVersion.matches("resource\\.k8s\\.io/v1(alpha[123]|beta[12])");
    }

    /** Corrects the names of classes and references to them in the same way, so that they still match. */
    private static void classNames(Written object, List<Fix> fixes) {
        for (Part name : NameRules.named(object)) {
            if (name.node() instanceof Scalar scalar && scalar.style() != Style.BLOCK) {
                NameRules.turned(scalar.text())
                        .ifPresent(turned -> fixes.add(Fix.of(Rule.CLASS_NAME, replaced(scalar, turned))));
            }
        }
    }

    private static void typed(Written object, Part attributes, List<Fix> fixes) {
        for (SourceNode.Entry entry : attributes.node().fields()) {
            if (entry.value() instanceof Scalar scalar && scalar.style() != Style.BLOCK) {
                Optional<String> type = switch (scalar.type()) {
                    case TEXT -> Optional.of("string");
                    case BOOL -> Optional.of("bool");
                    case INTEGER -> Optional.of("int");
                    case FLOAT, NULL -> Optional.empty();
                };
                type.ifPresent(field -> fixes.add(wrapped(object, scalar, field)));
            }
        }
    }

    private static void valued(Written object, Part capacity, List<Fix> fixes) {
        for (SourceNode.Entry entry : capacity.node().fields()) {
            if (entry.value() instanceof Scalar scalar && scalar.style() != Style.BLOCK && !scalar.isNull()) {
                fixes.add(wrapped(object, scalar, "value"));
            }
        }
    }

    private static Fix wrapped(Written object, Scalar scalar, String field) {
        boolean isJson = object.root() instanceof SourceNode.Mapping mapping
                && mapping.entries().getFirst().key().style() == Style.DOUBLE_QUOTED;
        String key = isJson ? "\"" + field + "\"" : field;
        return Fix.of(
                Rule.UNTYPED_VALUE,
                new Edit(
                        scalar.span(), "{%s: %s}".formatted(key, object.source().text(scalar.span()))));
    }

    // ---- expressions

    private static void expression(Written object, Scalar scalar, List<Fix> fixes) {
        Optional<ScalarText> places = ScalarText.of(object.source(), scalar);
        if (places.isEmpty()) {
            return;
        }
        for (Mistake mistake : ExpressionText.mistakes(scalar.text())) {
            boolean isVerbatim = mistake.changes().stream()
                    .allMatch(change -> places.get().isVerbatim(change.start(), change.end()));
            if (!mistake.changes().isEmpty() && isVerbatim) {
                List<Edit> edits = mistake.changes().stream()
                        .map(change -> edit(places.get(), change))
                        .toList();
                fixes.add(new Fix(SelectorRules.rule(mistake.sort()), edits));
            }
        }
    }

    private static Edit edit(ScalarText places, Change change) {
        return new Edit(
                new Span(places.place(change.start()), places.place(change.end())), places.written(change.text()));
    }
}
