package dev.claimstream.manifests;

import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.List;

/** Reads taints and tolerations of devices, nodes and pods. */
final class TaintReader {
    private static final int TAINTS_MAX = 16;
    private static final List<String> DEVICE_EFFECTS = List.of("NoExecute", "NoSchedule", "None");
    private static final List<String> NODE_EFFECTS = List.of("NoExecute", "NoSchedule", "PreferNoSchedule");
    private static final List<String> OPERATORS = List.of("Equal", "Exists");
    private static final List<String> POD_OPERATORS = List.of("", "Equal", "Exists", "Gt", "Lt");

    private TaintReader() {}

    static List<Taint> ofDevice(ManifestField field) {
        return field.items(TAINTS_MAX).stream().map(TaintReader::device).toList();
    }

    static Taint device(ManifestField field) {
        return taint(field, DEVICE_EFFECTS);
    }

    static List<Taint> ofNode(ManifestField field) {
        return field.items().stream().map(item -> taint(item, NODE_EFFECTS)).toList();
    }

    private static Taint taint(ManifestField field, List<String> effects) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField key = fields.get("key");
        NameValidation.checkLabelName(key, key.text());
        ManifestField value = fields.get("value");
        NameValidation.checkLabelValue(value, value.text());
        ManifestField effect = fields.get("effect");
        if (!effect.isPresent()) {
            effect.required("");
        } else {
            effect.requireOneOf(effect.text(), effects);
        }
        Taint taint = new Taint(
                key.text(), value.text(), effect.text(), fields.get("timeAdded").instant());
        fields.reportUnknown();
        return taint;
    }

    /** Reads the tolerations of a request; the default operator is Equal. */
    static List<Toleration> ofRequest(ManifestField field) {
        return field.items().stream().map(TaintReader::ofRequestItem).toList();
    }

    private static Toleration ofRequestItem(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField key = fields.get("key");
        if (!key.text().isEmpty()) {
            NameValidation.checkLabelName(key, key.text());
        }
        ManifestField operator = fields.get("operator");
        String op = operator.isPresent() ? operator.text() : "Equal";
        operator.requireOneOf(op, OPERATORS);
        ManifestField value = fields.get("value");
        if (op.equals("Exists") && !value.text().isEmpty()) {
            value.invalid(value.text(), "must be empty for operator `Exists`", "leave value out, or write Equal");
        }
        NameValidation.checkLabelValue(value, value.text());
        ManifestField effect = fields.get("effect");
        if (!effect.text().isEmpty()) {
            effect.requireOneOf(effect.text(), DEVICE_EFFECTS);
        }
        Toleration toleration = new Toleration(
                key.text(),
                op,
                value.text(),
                effect.text(),
                fields.get("tolerationSeconds").optionalInteger());
        fields.reportUnknown();
        return toleration;
    }

    static List<Toleration> ofPod(ManifestField field) {
        return field.items().stream().map(TaintReader::ofPodItem).toList();
    }

    private static Toleration ofPodItem(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField operator = fields.get("operator");
        operator.requireOneOf(operator.text(), POD_OPERATORS);
        Toleration toleration = new Toleration(
                fields.get("key").text(),
                operator.text(),
                fields.get("value").text(),
                fields.get("effect").text(),
                fields.get("tolerationSeconds").optionalInteger());
        fields.reportUnknown();
        return toleration;
    }
}
