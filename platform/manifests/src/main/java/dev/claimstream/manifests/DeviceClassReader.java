package dev.claimstream.manifests;

import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Taint;
import java.util.List;
import java.util.Optional;

/** Reads {@code DeviceClass.spec} and {@code DeviceTaintRule.spec}. */
final class DeviceClassReader {
    private static final int CONFIG_MAX = 32;
    private static final int RESOURCE_NAME_MAX = 253 + 1 + 63;

    private DeviceClassReader() {}

    static DeviceClass deviceClass(ObjectMeta meta, ManifestField field) {
        FieldMap spec = field.fieldsOrEmpty();
        List<String> selectors = ClaimSpecReader.selectors(spec.get("selectors"));
        List<OpaqueConfig> config = spec.get("config").items(CONFIG_MAX).stream()
                .map(DeviceClassReader::config)
                .toList();
        ManifestField extended = spec.get("extendedResourceName");
        Optional<String> resource = extended.optionalText();
        resource.ifPresent(name -> checkExtended(extended, name));
        spec.reportUnknown();
        return new DeviceClass(meta, selectors, config, resource);
    }

    private static OpaqueConfig config(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        OpaqueConfig config = ConfigReader.opaque(fields.get("opaque"));
        fields.reportUnknown();
        return config;
    }

    private static void checkExtended(ManifestField field, String name) {
        int slash = name.indexOf('/');
        boolean own = slash > 0 && !name.substring(0, slash).endsWith("kubernetes.io") && !name.startsWith("requests.");
        if (!own || name.length() > RESOURCE_NAME_MAX) {
            field.invalid(name, "must be a valid extended resource name", "write a domain and a name: example.com/gpu");
            return;
        }
        NameValidation.checkLabelName(field, name);
    }

    static DeviceTaintRule taintRule(ObjectMeta meta, ManifestField field) {
        FieldMap spec = field.fieldsOrEmpty();
        Optional<DeviceTaintRule.DeviceTaintSelector> selector =
                spec.get("deviceSelector").fields().map(DeviceClassReader::selector);
        ManifestField taint = spec.get("taint");
        spec.reportUnknown();
        if (!taint.isPresent()) {
            taint.required("");
            return new DeviceTaintRule(meta, selector, new Taint("", "", "", Optional.empty()));
        }
        return new DeviceTaintRule(meta, selector, TaintReader.device(taint));
    }

    private static DeviceTaintRule.DeviceTaintSelector selector(FieldMap fields) {
        ManifestField driver = fields.get("driver");
        ManifestField pool = fields.get("pool");
        ManifestField device = fields.get("device");
        DeviceTaintRule.DeviceTaintSelector selector = new DeviceTaintRule.DeviceTaintSelector(
                driver.isPresent() ? Optional.of(NameValidation.driver(driver)) : Optional.empty(),
                pool.isPresent() ? Optional.of(NameValidation.pool(pool)) : Optional.empty(),
                device.isPresent() ? Optional.of(NameValidation.label(device)) : Optional.empty());
        fields.reportUnknown();
        return selector;
    }
}
