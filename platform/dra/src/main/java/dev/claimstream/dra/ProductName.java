package dev.claimstream.dra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The product of a device, for example {@code NVIDIA H100 80GB HBM3}, by the attributes in which drivers publish it. */
public final class ProductName {
    /** Attributes that name the product, the best first. A domain before the name does not count. */
    private static final List<String> NAMES =
            List.of("productName", "model", "part", "tpuGen", "instanceType", "product", "profile");

    private ProductName() {}

    /** Returns the product of a device with these attributes; empty if no attribute names it. */
    public static Optional<String> of(Map<String, AttributeValue> attributes) {
        Map<String, String> texts = new HashMap<>();
        attributes.forEach((name, value) -> {
            if (value instanceof AttributeValue.StringValue text) {
                texts.put(name, text.value());
            }
        });
        return ofTexts(texts);
    }

    /** Returns the product of a device with these attributes that are strings; empty if no attribute names it. */
    public static Optional<String> ofTexts(Map<String, String> attributes) {
        Map<String, String> byName = new HashMap<>();
        attributes.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(each ->
                        byName.putIfAbsent(each.getKey().substring(each.getKey().indexOf('/') + 1), each.getValue()));
        return NAMES.stream().filter(byName::containsKey).map(byName::get).findFirst();
    }
}
