package dev.claimstream.manifests;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code ResourceClaim.status}. */
final class Allocations {
    private static final int RESULTS_MAX = 32;
    private static final int CONFIG_MAX = 64;
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private Allocations() {}

    /** The fields of a status. */
    record Status(Optional<Allocation> allocation, List<Consumer> reservedFor) {}

    static Status of(Field field, List<DeviceRequest> requests) {
        Fields status = field.fieldsOrNone();
        RequestNames names = RequestNames.of(requests);
        Field allocationField = status.get("allocation");
        Optional<Allocation> allocation = allocationField.fields().map(fields -> allocation(fields, names));
        Field reservedField = status.get("reservedFor");
        List<Field> items = reservedField.items(Consumer.MAX);
        List<Consumer> reservedFor = items.stream().map(Allocations::consumer).toList();
        Names.checkUnique(items, reservedFor.stream().map(Consumer::uid).toList());
        if (allocation.isEmpty() && !reservedFor.isEmpty()) {
            reservedField.forbidden(
                    "may not be specified when `allocated` is not set", "leave it out, or write the allocation");
        }
        status.get("devices"); // written by drivers; not used here
        status.get("deallocationRequested"); // removed in 1.32
        status.end();
        return new Status(allocation, reservedFor);
    }

    static Allocation allocation(Fields fields, RequestNames names) {
        Fields devices = fields.get("devices").fieldsOrNone();
        List<DeviceResult> results = devices.get("results").items(RESULTS_MAX).stream()
                .map(item -> result(item, names))
                .toList();
        List<AllocationConfig> config = devices.get("config").items(CONFIG_MAX).stream()
                .map(item -> config(item, names))
                .toList();
        devices.end();
        Allocation allocation = new Allocation(
                results,
                config,
                NodeSelectors.of(fields.get("nodeSelector")),
                fields.get("allocationTimestamp").instant());
        fields.get("controller"); // removed in 1.32
        fields.end();
        return allocation;
    }

    private static DeviceResult result(Field field, RequestNames names) {
        Fields fields = field.fieldsOrNone();
        Slices.BindingConditions conditions = Slices.BindingConditions.of(fields);
        Field share = fields.get("shareID");
        Optional<String> shareId = share.optionalText();
        if (shareId.isPresent() && !UUID.matcher(shareId.get()).matches()) {
            share.invalid(
                    shareId.get(),
                    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase"
                            + " hexadecimal characters",
                    "write it in this form");
        }
        DeviceResult result = new DeviceResult(
                names.reference(fields.get("request")),
                new DeviceId(
                        Names.driver(fields.get("driver")),
                        Names.pool(fields.get("pool")),
                        Names.label(fields.get("device"))),
                fields.get("adminAccess").isTrue(),
                Taints.ofRequest(fields.get("tolerations")),
                conditions.ready(),
                conditions.failed(),
                shareId,
                Capacities.amounts(fields.get("consumedCapacity")),
                NodeOperations.of(fields.get("skipNodeOperations")));
        fields.end();
        return result;
    }

    private static AllocationConfig config(Field field, RequestNames names) {
        Fields fields = field.fieldsOrNone();
        Field sourceField = fields.get("source");
        String source = sourceField.text();
        sourceField.oneOf(source, List.of("FromClaim", "FromClass"));
        AllocationConfig config = new AllocationConfig(
                source.equals("FromClass") ? AllocationConfig.Source.FROM_CLASS : AllocationConfig.Source.FROM_CLAIM,
                names.references(fields.get("requests")),
                Configs.opaque(fields.get("opaque")));
        fields.end();
        return config;
    }

    private static Consumer consumer(Field field) {
        Fields fields = field.fieldsOrNone();
        Consumer consumer = new Consumer(
                fields.get("apiGroup").text(),
                required(fields.get("resource")),
                required(fields.get("name")),
                required(fields.get("uid")));
        fields.end();
        return consumer;
    }

    private static String required(Field field) {
        if (field.text().isEmpty()) {
            field.required("");
        }
        return field.text();
    }
}
