package dev.claimstream.manifests;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code ResourceClaim.status}. */
final class ClaimStatusReader {
    private static final int RESULTS_MAX = 32;
    private static final int CONFIG_MAX = 64;
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private ClaimStatusReader() {}

    record ClaimStatusFields(Optional<Allocation> allocation, List<ClaimConsumer> reservedFor) {}

    static ClaimStatusFields of(ManifestField field, List<DeviceRequest> requests) {
        FieldMap status = field.fieldsOrEmpty();
        RequestNames names = RequestNames.of(requests);
        ManifestField allocationField = status.get("allocation");
        Optional<Allocation> allocation = allocationField.fields().map(fields -> allocation(fields, names));
        ManifestField reservedField = status.get("reservedFor");
        List<ManifestField> items = reservedField.items(ClaimConsumer.MAX);
        List<ClaimConsumer> reservedFor =
                items.stream().map(ClaimStatusReader::consumer).toList();
        NameValidation.checkUnique(
                items, reservedFor.stream().map(ClaimConsumer::uid).toList());
        if (allocation.isEmpty() && !reservedFor.isEmpty()) {
            reservedField.forbidden(
                    "may not be specified when `allocated` is not set", "leave it out, or write the allocation");
        }
        status.get("devices"); // written by drivers; not used here
        status.get("deallocationRequested"); // removed in 1.32
        status.reportUnknown();
        return new ClaimStatusFields(allocation, reservedFor);
    }

    static Allocation allocation(FieldMap fields, RequestNames names) {
        FieldMap devices = fields.get("devices").fieldsOrEmpty();
        List<DeviceResult> results = devices.get("results").items(RESULTS_MAX).stream()
                .map(item -> result(item, names))
                .toList();
        List<AllocationConfig> config = devices.get("config").items(CONFIG_MAX).stream()
                .map(item -> config(item, names))
                .toList();
        devices.reportUnknown();
        Allocation allocation = new Allocation(
                results,
                config,
                NodeSelectorReader.of(fields.get("nodeSelector")),
                fields.get("allocationTimestamp").instant());
        fields.get("controller"); // removed in 1.32
        fields.reportUnknown();
        return allocation;
    }

    private static DeviceResult result(ManifestField field, RequestNames names) {
        FieldMap fields = field.fieldsOrEmpty();
        SliceReader.BindingConditions conditions = SliceReader.BindingConditions.of(fields);
        ManifestField share = fields.get("shareID");
        Optional<String> shareId = share.optionalText();
        if (shareId.isPresent() && !UUID.matcher(shareId.get()).matches()) {
            share.invalid(
                    shareId.get(),
                    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase"
                            + " hexadecimal characters",
                    "write it in this form");
        }
        DeviceResult result = DeviceResult.builder(
                        names.reference(fields.get("request")),
                        new DeviceId(
                                NameValidation.driver(fields.get("driver")),
                                NameValidation.pool(fields.get("pool")),
                                NameValidation.label(fields.get("device"))))
                .adminAccess(fields.get("adminAccess").isTrue())
                .tolerations(TaintReader.ofRequest(fields.get("tolerations")))
                .bindingConditions(conditions.ready())
                .bindingFailureConditions(conditions.failed())
                .shareId(shareId)
                .consumedCapacity(CapacityReader.amounts(fields.get("consumedCapacity")))
                .skipNodeOperations(NodeOperationReader.of(fields.get("skipNodeOperations")))
                .build();
        fields.reportUnknown();
        return result;
    }

    private static AllocationConfig config(ManifestField field, RequestNames names) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField sourceField = fields.get("source");
        String source = sourceField.text();
        sourceField.requireOneOf(source, List.of("FromClaim", "FromClass"));
        AllocationConfig config = new AllocationConfig(
                source.equals("FromClass")
                        ? AllocationConfig.AllocationConfigSource.FROM_CLASS
                        : AllocationConfig.AllocationConfigSource.FROM_CLAIM,
                names.references(fields.get("requests")),
                ConfigReader.opaque(fields.get("opaque")));
        fields.reportUnknown();
        return config;
    }

    private static ClaimConsumer consumer(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        ClaimConsumer consumer = new ClaimConsumer(
                fields.get("apiGroup").text(),
                required(fields.get("resource")),
                required(fields.get("name")),
                required(fields.get("uid")));
        fields.reportUnknown();
        return consumer;
    }

    private static String required(ManifestField field) {
        if (field.text().isEmpty()) {
            field.required("");
        }
        return field.text();
    }
}
