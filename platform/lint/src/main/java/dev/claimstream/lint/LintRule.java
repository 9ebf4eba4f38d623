package dev.claimstream.lint;

import java.util.Arrays;
import java.util.Optional;

/** The rules. README.md has a wrong and a right example of each. */
public enum LintRule {
    // ---- errors that an API server rejects
    UNREADABLE("unreadable", "A file can be read, and is text in UTF-8."),
    SYNTAX("syntax", "A document is YAML or JSON."),
    LOST_INDENTATION("lost-indentation", "The fields of metadata and spec are indented."),
    UNRENDERED_TEMPLATE("unrendered-template", "A file is no template that must be rendered first."),
    PLACE_HOLDER("place-holder", "No part of a manifest is left out with dots."),
    NOT_AN_OBJECT("not-an-object", "A document is a Kubernetes object with apiVersion and kind."),
    UNKNOWN_KIND("unknown-kind", "The kind exists in the version."),
    REMOVED_API("removed-api", "The kind or its version has not been removed from Kubernetes."),
    BETA_VERSION("beta-version", "The version is served by default."),
    UNKNOWN_FIELD("unknown-field", "The API has the field."),
    MISSPELT_FIELD("misspelt-field", "The name of a field is spelled as in the API."),
    MISPLACED_FIELD("misplaced-field", "A field is in the object that has it in the API."),
    REPEATED_FIELD("repeated-field", "A field occurs once in its object."),
    WRONG_TYPE("wrong-type", "A value has the type of its field."),
    REQUIRED("required", "A required field is set."),
    INVALID_VALUE("invalid-value", "A value has the form that the API requires."),
    UNSUPPORTED_VALUE("unsupported-value", "A value is one of those that the API knows."),
    TOO_MANY("too-many", "A list has no more members than the API allows."),
    TOO_LONG("too-long", "A text is no longer than the API allows."),
    DUPLICATE("duplicate", "A name occurs once in its list."),
    FORBIDDEN("forbidden", "A field is not used where it is forbidden."),
    DUPLICATE_OBJECT("duplicate-object", "Objects of a kind, and devices of a pool, have different names."),
    FLAT_REQUEST("flat-request", "The device fields of a request are under exactly or firstAvailable."),
    CONSTRAINT_IN_REQUEST("constraint-in-request", "Constraints and config are beside the requests, not in a request."),
    ANY_OF("any-of", "Alternatives are written as firstAvailable."),
    SUITABLE_NODES("suitable-nodes", "A DeviceClass does not choose nodes."),
    BASIC_DEVICE("basic-device", "The fields of a device are in the device itself."),
    UNTYPED_VALUE("untyped-value", "An attribute names its type, a capacity has a value."),
    ATTRIBUTE_QUANTITY("attribute-quantity", "Quantities are published as capacity."),
    CLAIM_SOURCE("claim-source", "A pod names a claim or a template directly."),
    TEMPLATE_SPEC("template-spec", "A template has the spec of its claims in spec.spec, a claim its own in spec."),
    ALPHA_CLAIM("alpha-claim", "A claim requests devices in devices.requests, not with resourceClassName."),
    CLASS_NAME("class-name", "The name of a DeviceClass is a DNS subdomain."),
    UNKNOWN_CLAIM("unknown-claim", "A container names a claim that its pod lists."),
    ADMIN_NAMESPACE("admin-namespace", "Admin access is requested only in a namespace that allows it."),
    CEL_COMPILE("cel-compile", "An expression compiles."),
    QUANTITY_OPERATOR("quantity-operator", "Quantities and versions are compared with their functions."),

    // ---- objects that an API server accepts and that cannot work
    GATE_OFF("gate-off", "The feature gate of a field is on."),
    MANAGED_CLASS(
            "managed-class",
            "Devices of a class that kube-scheduler does not allocate are requested only with claims."),
    POD_GROUP("pod-group", "A PodGroup belongs to an API group that kube-scheduler supports."),
    UNUSED_CLAIM("unused-claim", "A container uses the claim that its pod lists."),
    UNKNOWN_REQUEST("unknown-request", "A container names a request that the claim has."),
    OTHER_NAMESPACE("other-namespace", "A claim or template is in the namespace of the pod that names it."),
    UNKNOWN_DOMAIN("unknown-domain", "Attributes are looked up by domain and name, one after the other."),
    IMPOSSIBLE_NAME("impossible-name", "A driver can publish the name of every attribute and capacity that is used."),
    TYPED_ACCESSOR("typed-accessor", "An attribute is used as a value, without an accessor for its type."),
    CEL_QUANTITY("cel-quantity", "A quantity is looked up in capacity."),
    DRIVER_NAME("driver-name", "A driver name in a comparison is a valid driver name."),
    TOO_MANY_DEVICES("too-many-devices", "A claim requests no more devices than an allocation can hold."),
    UNKNOWN_CLASS("unknown-class", "A requested class is among the classes of the manifests."),
    UNKNOWN_TEMPLATE("unknown-template", "A claim or template that a pod names is among those of the manifests."),
    IDLE_RULE("idle-rule", "A DeviceTaintRule selects devices."),
    BROAD_RULE("broad-rule", "A DeviceTaintRule does not select every device of the cluster."),
    NODE_COMPARISON("node-comparison", "A node selector of a slice compares with a number."),
    NEGATIVE_AMOUNT("negative-amount", "Published and consumed amounts are not negative."),
    INCOMPLETE_POOL("incomplete-pool", "All slices of a pool are present."),
    UNKNOWN_COUNTER("unknown-counter", "A device consumes counters of its pool, and no more than the pool has."),
    NEVER_MATCHES("never-matches", "At least one published device matches the selectors."),
    SELECTOR_FAILS("selector-fails", "A selector evaluates without an error on the published devices."),
    TOO_FEW_DEVICES("too-few-devices", "Enough devices are published for a request."),
    CONSTRAINT_NEVER_MET("constraint-never-met", "At least one device of a constrained request has the attribute.");

    private final String id;
    private final String description;

    LintRule(String id, String says) {
        this.id = id;
        this.description = says;
    }

    /** Returns the name in findings, for example {@code flat-request}. */
    public String id() {
        return id;
    }

    /** Returns the condition that holds if there is no finding. */
    public String description() {
        return description;
    }

    public static Optional<LintRule> of(String id) {
        return Arrays.stream(values()).filter(each -> each.id.equals(id)).findFirst();
    }
}
