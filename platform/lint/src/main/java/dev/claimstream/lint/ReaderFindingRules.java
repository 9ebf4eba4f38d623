package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Assigns a rule to each finding of the manifest reader. */
final class ReaderFindingRules {
    /** Messages of the reader about things that an API server accepts, or that rules of their own check. */
    private static final List<String> NOT_REPORTED = List.of(
            "unknown field, ignored",
            "no object in this file",
            "a PriorityClass is not looked up",
            "no container uses the claim",
            "no Kubernetes objects, skipped",
            "an alpha field that is not served",
            "an alpha field that does not reach the allocation");

    private static final Pattern NOT_SERVED = Pattern.compile("kind \\S+ of \\S+ is not served, ignored");
    private static final Pattern FIRST = Pattern.compile("there is a .* at (.*?)(?::\\d+)? already");
    private static final Pattern INDICES = Pattern.compile("\\[[^]]*]");
    private static final Set<String> REMOVED_KINDS = Set.of(
            "ResourceClass",
            "ResourceClaimParameters",
            "ResourceClassParameters",
            "NodeResourceSlice",
            "PodSchedulingContext");
    private static final Set<String> ALPHA_FIELDS =
            Set.of("resourceClassName", "parametersRef", "parameters", "allocationMode", "constraints");

    /** A prefix of messages and their rule; the first matching row applies. */
    private record MessageRule(String begin, LintRule rule) {}

    private static final List<MessageRule> ROWS = List.of(
            new MessageRule("looks like a ", LintRule.UNRENDERED_TEMPLATE),
            new MessageRule("... stands for", LintRule.PLACE_HOLDER),
            new MessageRule("\u2026 stands for", LintRule.PLACE_HOLDER),
            new MessageRule("not a Kubernetes object", LintRule.NOT_AN_OBJECT),
            new MessageRule("a document with items must be a list", LintRule.NOT_AN_OBJECT),
            new MessageRule("the path does not exist", LintRule.UNREADABLE),
            new MessageRule("not a path", LintRule.UNREADABLE),
            new MessageRule("the file ", LintRule.UNREADABLE),
            new MessageRule("the directory ", LintRule.UNREADABLE),
            new MessageRule("not a text in UTF-8", LintRule.UNREADABLE),
            new MessageRule("the field occurs twice", LintRule.REPEATED_FIELD),
            new MessageRule("expected ", LintRule.WRONG_TYPE),
            new MessageRule("Required value", LintRule.REQUIRED),
            new MessageRule("Invalid value", LintRule.INVALID_VALUE),
            new MessageRule("Unsupported value", LintRule.UNSUPPORTED_VALUE),
            new MessageRule("Too many", LintRule.TOO_MANY),
            new MessageRule("Too long", LintRule.TOO_LONG),
            new MessageRule("Duplicate value", LintRule.DUPLICATE),
            new MessageRule("Forbidden", LintRule.FORBIDDEN),
            new MessageRule("there is a ", LintRule.DUPLICATE_OBJECT),
            new MessageRule("the slice at ", LintRule.DUPLICATE_OBJECT));

    private ReaderFindingRules() {}

    /**
     * Returns the finding with its rule; empty if an API server would not report it.
     *
     * @param kind of the object of the finding, empty if there is none
     */
    static Optional<LintFinding> of(ManifestFinding finding, String kind) {
        boolean isReported = NOT_REPORTED.stream().noneMatch(finding.message()::startsWith)
                && !NOT_SERVED.matcher(finding.message()).matches();
        return isReported
                ? Optional.of(new LintFinding(rule(finding, kind), finding))
                        .map(found -> withPlace(found, kind))
                        .map(ReaderFindingRules::withAlternatives)
                : Optional.empty();
    }

    /** Turns two objects of one name in different directories into a warning: they are often alternatives. */
    private static LintFinding withAlternatives(LintFinding found) {
        ManifestFinding finding = found.finding();
        Matcher first = FIRST.matcher(finding.message());
        boolean isElsewhere = found.rule() == LintRule.DUPLICATE_OBJECT
                && first.matches()
                && !directory(first.group(1))
                        .equals(directory(finding.location().file()));
        return isElsewhere
                ? new LintFinding(
                        found.rule(),
                        new ManifestFinding(
                                ManifestFinding.Severity.WARNING,
                                finding.location(),
                                finding.field(),
                                finding.value(),
                                finding.message(),
                                "apply only one of the two, or give it another name"))
                : found;
    }

    private static String directory(String file) {
        return file.substring(0, Math.max(0, file.replace('\\', '/').lastIndexOf('/')));
    }

    /** Names the place in v1 of a field that is misplaced. */
    private static LintFinding withPlace(LintFinding found, String kind) {
        ManifestFinding finding = found.finding();
        boolean isUnknown = found.rule() == LintRule.UNKNOWN_FIELD
                || found.rule() == LintRule.TEMPLATE_SPEC
                || found.rule() == LintRule.MISSPELT_FIELD
                || found.rule() == LintRule.ALPHA_CLAIM;
        return Optional.of(finding)
                .filter(_ -> isUnknown && finding.message().equals("unknown field"))
                .filter(_ -> !finding.remedy().contains("v1alpha2"))
                .flatMap(_ -> MisplacedFields.remedy(kind, finding.field()))
                .map(remedy -> new LintFinding(
                        found.rule() == LintRule.TEMPLATE_SPEC ? found.rule() : LintRule.MISPLACED_FIELD,
                        new ManifestFinding(
                                finding.severity(),
                                finding.location(),
                                finding.field(),
                                finding.value(),
                                finding.message(),
                                remedy)))
                .orElse(found);
    }

    private static LintRule rule(ManifestFinding finding, String kind) {
        String field = INDICES.matcher(finding.field()).replaceAll("");
        String message = finding.message();
        if (message.startsWith("no matches for kind")) {
            return ofKind(message);
        }
        if (message.startsWith("unknown field")) {
            return unknownField(field, kind, finding.remedy());
        }
        LintRule rule = ROWS.stream()
                .filter(row -> message.startsWith(row.begin))
                .findFirst()
                .map(MessageRule::rule)
                .orElse(finding.field().isEmpty() ? LintRule.SYNTAX : LintRule.INVALID_VALUE);
        return switch (rule) {
            case WRONG_TYPE -> isTyped(field) ? LintRule.UNTYPED_VALUE : rule;
            case INVALID_VALUE ->
                isClassName(field, kind) && finding.value().contains("/") ? LintRule.CLASS_NAME : rule;
            case REQUIRED -> field.equals("kind") || field.equals("apiVersion") ? LintRule.NOT_AN_OBJECT : rule;
            default -> rule;
        };
    }

    private static LintRule ofKind(String message) {
        boolean isRemoved = REMOVED_KINDS.stream().anyMatch(kind -> message.contains("\"" + kind + "\""))
                || message.contains("\"resource.k8s.io/v1alpha");
        return isRemoved ? LintRule.REMOVED_API : LintRule.UNKNOWN_KIND;
    }

    private static boolean isTyped(String field) {
        return field.endsWith("devices.attributes")
                || field.endsWith("devices.basic.attributes")
                || field.endsWith("capacity");
    }

    private static boolean isClassName(String field, String kind) {
        return field.endsWith("deviceClassName") || (field.equals("metadata.name") && kind.equals("DeviceClass"));
    }

    private static LintRule unknownField(String field, String kind, String remedy) {
        int dot = field.lastIndexOf('.');
        String parent = field.substring(0, Math.max(0, dot));
        String name = field.substring(dot + 1);
        if (isMisplacedSpec(field, kind)) {
            return LintRule.TEMPLATE_SPEC;
        }
        if (field.endsWith("spec.suitableNodes")) {
            return LintRule.SUITABLE_NODES;
        }
        if (name.equals("anyOf") || name.equals("oneOf") || name.equals("allOf")) {
            return LintRule.ANY_OF;
        }
        if (parent.endsWith("devices.requests") && MisplacedFields.OF_REQUEST.contains(name)) {
            return LintRule.FLAT_REQUEST;
        }
        if (parent.contains("devices.requests") && (name.equals("constraints") || name.equals("config"))) {
            return LintRule.CONSTRAINT_IN_REQUEST;
        }
        if (field.equals("spec.devices.basic")) {
            return LintRule.BASIC_DEVICE;
        }
        if (field.equals("spec.resourceClaims.source")) {
            return LintRule.CLAIM_SOURCE;
        }
        if (field.endsWith("devices.attributes.quantity")) {
            return LintRule.ATTRIBUTE_QUANTITY;
        }
        if ((parent.equals("spec") || parent.equals("spec.spec")) && ALPHA_FIELDS.contains(name)) {
            return LintRule.ALPHA_CLAIM;
        }
        return remedy.startsWith("did you mean") ? LintRule.MISSPELT_FIELD : LintRule.UNKNOWN_FIELD;
    }

    private static boolean isMisplacedSpec(String field, String kind) {
        return switch (kind) {
            case "ResourceClaimTemplate" -> field.equals("spec.devices");
            case "ResourceClaim" -> field.equals("spec.spec");
            default -> false;
        };
    }
}
