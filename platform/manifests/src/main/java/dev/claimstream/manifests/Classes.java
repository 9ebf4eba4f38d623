package dev.claimstream.manifests;

import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Taint;
import java.util.List;
import java.util.Optional;

/** Reads {@code DeviceClass.spec} and {@code DeviceTaintRule.spec}. */
final class Classes {
    private static final int CONFIG_MAX = 32;
    private static final int RESOURCE_NAME_MAX = 253 + 1 + 63;

    private Classes() {}

    static DeviceClass deviceClass(ObjectMeta meta, Field field) {
        Fields spec = field.fieldsOrNone();
        List<String> selectors = Claims.selectors(spec.get("selectors"));
        List<OpaqueConfig> config = spec.get("config").items(CONFIG_MAX).stream()
                .map(Classes::config)
                .toList();
        Field extended = spec.get("extendedResourceName");
        Optional<String> resource = extended.optionalText();
        resource.ifPresent(name -> checkExtended(extended, name));
        spec.end();
        return new DeviceClass(meta, selectors, config, resource);
    }

    private static OpaqueConfig config(Field field) {
        Fields fields = field.fieldsOrNone();
        OpaqueConfig config = Configs.opaque(fields.get("opaque"));
        fields.end();
        return config;
    }

    private static void checkExtended(Field field, String name) {
        int slash = name.indexOf('/');
        boolean own = slash > 0 && !name.substring(0, slash).endsWith("kubernetes.io") && !name.startsWith("requests.");
        if (!own || name.length() > RESOURCE_NAME_MAX) {
            field.invalid(name, "must be a valid extended resource name", "write a domain and a name: example.com/gpu");
            return;
        }
        Names.checkLabelName(field, name);
    }

    static DeviceTaintRule taintRule(ObjectMeta meta, Field field) {
        Fields spec = field.fieldsOrNone();
        Optional<DeviceTaintRule.Selector> selector =
                spec.get("deviceSelector").fields().map(Classes::selector);
        Field taint = spec.get("taint");
        spec.end();
        if (!taint.isPresent()) {
            taint.required("");
            return new DeviceTaintRule(meta, selector, new Taint("", "", "", Optional.empty()));
        }
        return new DeviceTaintRule(meta, selector, Taints.device(taint));
    }

    private static DeviceTaintRule.Selector selector(Fields fields) {
        Field driver = fields.get("driver");
        Field pool = fields.get("pool");
        Field device = fields.get("device");
        DeviceTaintRule.Selector selector = new DeviceTaintRule.Selector(
                driver.isPresent() ? Optional.of(Names.driver(driver)) : Optional.empty(),
                pool.isPresent() ? Optional.of(Names.pool(pool)) : Optional.empty(),
                device.isPresent() ? Optional.of(Names.label(device)) : Optional.empty());
        fields.end();
        return selector;
    }
}
