package dev.claimstream.lint;

import dev.claimstream.manifests.Finding;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Assigns a rule to each finding of the manifest reader. */
final class FieldRules {
    /** Messages of the reader about things that an API server accepts, or that rules of their own check. */
    private static final List<String> NOT_OURS = List.of(
            "unknown field, not looked at",
            "there is no object in it",
            "a PriorityClass is not looked up",
            "no container uses the claim",
            "an alpha field that is not served",
            "an alpha field that does not reach the allocation");

    private static final Pattern NOT_SERVED = Pattern.compile("kind \\S+ of \\S+ is not served, ignored");
    private static final Pattern INDICES = Pattern.compile("\\[[^]]*]");
    private static final Set<String> REMOVED_KINDS = Set.of(
            "ResourceClass",
            "ResourceClaimParameters",
            "ResourceClassParameters",
            "NodeResourceSlice",
            "PodSchedulingContext");
    private static final Set<String> REQUEST_FIELDS = Set.of(
            "deviceClassName",
            "selectors",
            "allocationMode",
            "count",
            "adminAccess",
            "tolerations",
            "capacity",
            "derivedAttributes");
    private static final Set<String> ALPHA_FIELDS =
            Set.of("resourceClassName", "parametersRef", "parameters", "allocationMode", "constraints");

    /** A prefix of messages and their rule; the first matching row applies. */
    private record Row(String begin, Rule rule) {}

    private static final List<Row> ROWS = List.of(
            new Row("not an object of Kubernetes", Rule.NOT_AN_OBJECT),
            new Row("a document with items must be a list", Rule.NOT_AN_OBJECT),
            new Row("the path does not exist", Rule.UNREADABLE),
            new Row("not a path", Rule.UNREADABLE),
            new Row("the file ", Rule.UNREADABLE),
            new Row("the directory ", Rule.UNREADABLE),
            new Row("not a text in UTF-8", Rule.UNREADABLE),
            new Row("the field is there twice", Rule.REPEATED_FIELD),
            new Row("expected ", Rule.WRONG_TYPE),
            new Row("Required value", Rule.REQUIRED),
            new Row("Invalid value", Rule.INVALID_VALUE),
            new Row("Unsupported value", Rule.UNSUPPORTED_VALUE),
            new Row("Too many", Rule.TOO_MANY),
            new Row("Too long", Rule.TOO_LONG),
            new Row("Duplicate value", Rule.DUPLICATE),
            new Row("Forbidden", Rule.FORBIDDEN),
            new Row("there is a ", Rule.DUPLICATE_OBJECT),
            new Row("the slice at ", Rule.DUPLICATE_OBJECT));

    private FieldRules() {}

    /**
     * Returns the finding with its rule; empty if an API server would not report it.
     *
     * @param kind of the object of the finding, empty if there is none
     */
    static Optional<Diagnosis> of(Finding finding, String kind) {
        boolean isOurs = NOT_OURS.stream().noneMatch(finding.message()::startsWith)
                && !NOT_SERVED.matcher(finding.message()).matches();
        return isOurs ? Optional.of(new Diagnosis(rule(finding, kind), finding)) : Optional.empty();
    }

    private static Rule rule(Finding finding, String kind) {
        String field = INDICES.matcher(finding.field()).replaceAll("");
        String message = finding.message();
        if (message.startsWith("no matches for kind")) {
            return ofKind(message);
        }
        if (message.startsWith("unknown field")) {
            return unknownField(field, kind, finding.remedy());
        }
        Rule rule = ROWS.stream()
                .filter(row -> message.startsWith(row.begin))
                .findFirst()
                .map(Row::rule)
                .orElse(finding.field().isEmpty() ? Rule.SYNTAX : Rule.INVALID_VALUE);
        return switch (rule) {
            case WRONG_TYPE -> isTyped(field) ? Rule.UNTYPED_VALUE : rule;
            case INVALID_VALUE -> isClassName(field, kind) && finding.value().contains("/") ? Rule.CLASS_NAME : rule;
            case REQUIRED -> field.equals("kind") || field.equals("apiVersion") ? Rule.NOT_AN_OBJECT : rule;
            default -> rule;
        };
    }

    private static Rule ofKind(String message) {
        boolean isRemoved = REMOVED_KINDS.stream().anyMatch(kind -> message.contains("\"" + kind + "\""))
                || message.contains("\"resource.k8s.io/v1alpha");
        return isRemoved ? Rule.REMOVED_API : Rule.UNKNOWN_KIND;
    }

    private static boolean isTyped(String field) {
        return field.endsWith("devices.attributes")
                || field.endsWith("devices.basic.attributes")
                || field.endsWith("capacity");
    }

    private static boolean isClassName(String field, String kind) {
        return field.endsWith("deviceClassName") || (field.equals("metadata.name") && kind.equals("DeviceClass"));
    }

    private static Rule unknownField(String field, String kind, String remedy) {
        int dot = field.lastIndexOf('.');
        String parent = field.substring(0, Math.max(0, dot));
        String name = field.substring(dot + 1);
        if (isMisplacedSpec(field, kind)) {
            return Rule.TEMPLATE_SPEC;
        }
        if (field.endsWith("spec.suitableNodes")) {
            return Rule.SUITABLE_NODES;
        }
        if (name.equals("anyOf") || name.equals("oneOf") || name.equals("allOf")) {
            return Rule.ANY_OF;
        }
        if (parent.endsWith("devices.requests") && REQUEST_FIELDS.contains(name)) {
            return Rule.FLAT_REQUEST;
        }
        if (parent.contains("devices.requests") && (name.equals("constraints") || name.equals("config"))) {
            return Rule.CONSTRAINT_IN_REQUEST;
        }
        if (field.equals("spec.devices.basic")) {
            return Rule.BASIC_DEVICE;
        }
        if (field.equals("spec.resourceClaims.source")) {
            return Rule.CLAIM_SOURCE;
        }
        if (field.endsWith("devices.attributes.quantity")) {
            return Rule.ATTRIBUTE_QUANTITY;
        }
        if ((parent.equals("spec") || parent.equals("spec.spec")) && ALPHA_FIELDS.contains(name)) {
            return Rule.ALPHA_CLAIM;
        }
        return remedy.startsWith("did you mean") ? Rule.MISSPELT_FIELD : Rule.UNKNOWN_FIELD;
    }

    private static boolean isMisplacedSpec(String field, String kind) {
        return switch (kind) {
            case "ResourceClaimTemplate" -> field.equals("spec.devices");
            case "ResourceClaim" -> field.equals("spec.spec");
            default -> false;
        };
    }
}
