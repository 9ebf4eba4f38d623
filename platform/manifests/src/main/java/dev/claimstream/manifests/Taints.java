package dev.claimstream.manifests;

import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.List;

/** Reads taints and tolerations of devices, nodes and pods. */
final class Taints {
    private static final int TAINTS_MAX = 16;
    private static final List<String> DEVICE_EFFECTS = List.of("NoExecute", "NoSchedule", "None");
    private static final List<String> NODE_EFFECTS = List.of("NoExecute", "NoSchedule", "PreferNoSchedule");
    private static final List<String> OPERATORS = List.of("Equal", "Exists");
    private static final List<String> POD_OPERATORS = List.of("", "Equal", "Exists", "Gt", "Lt");

    private Taints() {}

    static List<Taint> ofDevice(Field field) {
        return field.items(TAINTS_MAX).stream().map(Taints::device).toList();
    }

    static Taint device(Field field) {
        return taint(field, DEVICE_EFFECTS);
    }

    static List<Taint> ofNode(Field field) {
        return field.items().stream().map(item -> taint(item, NODE_EFFECTS)).toList();
    }

    private static Taint taint(Field field, List<String> effects) {
        Fields fields = field.fieldsOrNone();
        Field key = fields.get("key");
        Names.checkLabelName(key, key.text());
        Field value = fields.get("value");
        Names.checkLabelValue(value, value.text());
        Field effect = fields.get("effect");
        if (!effect.isPresent()) {
            effect.required("");
        } else {
            effect.oneOf(effect.text(), effects);
        }
        Taint taint = new Taint(
                key.text(), value.text(), effect.text(), fields.get("timeAdded").instant());
        fields.end();
        return taint;
    }

    /** Reads the tolerations of a request; the default operator is Equal. */
    static List<Toleration> ofRequest(Field field) {
        return field.items().stream().map(Taints::ofRequestItem).toList();
    }

    private static Toleration ofRequestItem(Field field) {
        Fields fields = field.fieldsOrNone();
        Field key = fields.get("key");
        if (!key.text().isEmpty()) {
            Names.checkLabelName(key, key.text());
        }
        Field operator = fields.get("operator");
        String op = operator.isPresent() ? operator.text() : "Equal";
        operator.oneOf(op, OPERATORS);
        Field value = fields.get("value");
        if (op.equals("Exists") && !value.text().isEmpty()) {
            value.invalid(value.text(), "must be empty for operator `Exists`", "leave value out, or write Equal");
        }
        Names.checkLabelValue(value, value.text());
        Field effect = fields.get("effect");
        if (!effect.text().isEmpty()) {
            effect.oneOf(effect.text(), DEVICE_EFFECTS);
        }
        Toleration toleration = new Toleration(
                key.text(),
                op,
                value.text(),
                effect.text(),
                fields.get("tolerationSeconds").optionalInteger());
        fields.end();
        return toleration;
    }

    /** Reads the tolerations of a pod. */
    static List<Toleration> ofPod(Field field) {
        return field.items().stream().map(Taints::ofPodItem).toList();
    }

    private static Toleration ofPodItem(Field field) {
        Fields fields = field.fieldsOrNone();
        Field operator = fields.get("operator");
        operator.oneOf(operator.text(), POD_OPERATORS);
        Toleration toleration = new Toleration(
                fields.get("key").text(),
                operator.text(),
                fields.get("value").text(),
                fields.get("effect").text(),
                fields.get("tolerationSeconds").optionalInteger());
        fields.end();
        return toleration;
    }
}
