package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.lint.cel.ExpressionLinter;
import dev.claimstream.lint.cel.ExpressionMistake;
import dev.claimstream.lint.cel.ExpressionMistake.ExpressionEdit;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import dev.claimstream.manifests.source.SourceNode.Style;
import dev.claimstream.manifests.source.TextSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Corrects the form of values: versions, names, attribute types and expressions. */
final class ValueFixes {
    private ValueFixes() {}

    static List<LintFix> of(SourceObject object) {
        List<LintFix> fixes = new ArrayList<>();
        version(object).ifPresent(fixes::add);
        classNames(object, fixes);
        ObjectParts.requestParts(object).forEach(request -> {
            capitals(request, "allocationMode", List.of("All", "ExactCount"), fixes);
            request.items("tolerations").forEach(toleration -> taintCapitals(toleration, fixes));
        });
        new ObjectPart("", object.root())
                .get("spec")
                .flatMap(spec -> spec.get("taint"))
                .filter(_ -> object.kind().equals("DeviceTaintRule"))
                .ifPresent(taint -> taintCapitals(taint, fixes));
        ObjectParts.deviceParts(object).forEach(device -> {
            ObjectPart fields = device.get("basic").orElse(device);
            fields.get("attributes").ifPresent(all -> wrapAttributes(object, all, fixes));
            fields.get("capacity").ifPresent(all -> wrapCapacities(object, all, fixes));
        });
        ObjectParts.expressions(object)
                .forEach(expression -> expression(object, (SourceScalar) expression.node(), fixes));
        return fixes;
    }

    private static void taintCapitals(ObjectPart taint, List<LintFix> fixes) {
        capitals(taint, "operator", List.of("Exists", "Equal"), fixes);
        capitals(taint, "effect", List.of("NoSchedule", "NoExecute"), fixes);
    }

    /** Corrects the capitals of a value that has few possible texts. */
    private static void capitals(ObjectPart holder, String field, List<String> words, List<LintFix> fixes) {
        holder.get(field)
                .map(ObjectPart::node)
                .filter(node -> node instanceof SourceScalar scalar && scalar.style() != Style.BLOCK)
                .map(SourceScalar.class::cast)
                .ifPresent(scalar -> words.stream()
                        .filter(word -> word.equalsIgnoreCase(scalar.text()) && !word.equals(scalar.text()))
                        .findFirst()
                        .ifPresent(word -> fixes.add(LintFix.of(LintRule.UNSUPPORTED_VALUE, replaced(scalar, word)))));
    }

    /** Replaces the text of a scalar and keeps its quotes. */
    private static TextEdit replaced(SourceScalar scalar, String text) {
        String quote = switch (scalar.style()) {
            case SINGLE_QUOTED -> "'";
            case DOUBLE_QUOTED -> "\"";
            case PLAIN, BLOCK -> "";
        };
        return new TextEdit(scalar.span(), quote + text + quote);
    }

    private static Optional<LintFix> version(SourceObject object) {
        boolean isOld = switch (object.kind()) {
            case "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass", "DeviceTaintRule" ->
                object.isResource()
                        && !object.apiVersion().equals(KindRules.V1)
                        && isReleased(object.apiVersion())
                        && !KindRules.isOnlyVersionOf136(object);
            default -> false;
        };
        LintRule rule = object.apiVersion().contains("alpha") ? LintRule.REMOVED_API : LintRule.BETA_VERSION;
        return object.root()
                .get("apiVersion")
                .filter(version -> isOld && version instanceof SourceScalar)
                .map(version -> LintFix.of(rule, replaced((SourceScalar) version, KindRules.V1)));
    }

    /** Returns whether the version is older than {@code v1}; a version later than the known ones is not replaced. */
    private static boolean isReleased(String apiVersion) {
        return apiVersion.matches("resource\\.k8s\\.io/v1(alpha[123]|beta[12])");
    }

    /** Corrects the names of classes and references to them in the same way, so that they still match. */
    private static void classNames(SourceObject object, List<LintFix> fixes) {
        for (ObjectPart name : NameRules.classNames(object)) {
            if (name.node() instanceof SourceScalar scalar && scalar.style() != Style.BLOCK) {
                NameRules.reversed(scalar.text())
                        .ifPresent(turned -> fixes.add(LintFix.of(LintRule.CLASS_NAME, replaced(scalar, turned))));
            }
        }
    }

    private static void wrapAttributes(SourceObject object, ObjectPart attributes, List<LintFix> fixes) {
        for (SourceNode.SourceField entry : attributes.node().fields()) {
            if (entry.value() instanceof SourceScalar scalar && scalar.style() != Style.BLOCK) {
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

    private static void wrapCapacities(SourceObject object, ObjectPart capacity, List<LintFix> fixes) {
        for (SourceNode.SourceField entry : capacity.node().fields()) {
            if (entry.value() instanceof SourceScalar scalar && scalar.style() != Style.BLOCK && !scalar.isNull()) {
                fixes.add(wrapped(object, scalar, "value"));
            }
        }
    }

    private static LintFix wrapped(SourceObject object, SourceScalar scalar, String field) {
        boolean isJson = object.root() instanceof SourceNode.SourceMapping mapping
                && mapping.entries().getFirst().key().style() == Style.DOUBLE_QUOTED;
        String key = isJson ? "\"" + field + "\"" : field;
        return LintFix.of(
                LintRule.UNTYPED_VALUE,
                new TextEdit(
                        scalar.span(), "{%s: %s}".formatted(key, object.source().text(scalar.span()))));
    }

    // ---- expressions

    private static void expression(SourceObject object, SourceScalar scalar, List<LintFix> fixes) {
        Optional<ScalarOffsets> places = ScalarOffsets.of(object.source(), scalar);
        if (places.isEmpty()) {
            return;
        }
        for (ExpressionMistake mistake : ExpressionLinter.mistakes(scalar.text())) {
            boolean isVerbatim = mistake.changes().stream()
                    .allMatch(change -> places.get().isVerbatim(change.start(), change.end()));
            if (!mistake.changes().isEmpty() && isVerbatim) {
                List<TextEdit> edits = mistake.changes().stream()
                        .map(change -> edit(places.get(), change))
                        .toList();
                fixes.add(new LintFix(SelectorRules.rule(mistake.sort()), edits));
            }
        }
    }

    private static TextEdit edit(ScalarOffsets places, ExpressionEdit change) {
        return new TextEdit(
                new TextSpan(places.sourceIndex(change.start()), places.sourceIndex(change.end())),
                places.escaped(change.text()));
    }
}
