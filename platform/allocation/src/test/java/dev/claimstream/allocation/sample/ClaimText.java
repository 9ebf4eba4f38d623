package dev.claimstream.allocation.sample;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Parses a claim spec from a short text. Semicolons separate requests, constraints and configuration.
 *
 * <ul>
 *   <li>{@code gpus: 2 gpu [model=a100] ~dead}: request gpus for 2 devices of class gpu, with a selector and a
 *       toleration
 *   <li>{@code all} instead of the number: allocation mode All
 *   <li>{@code (memory:10Gi)}: a capacity request
 *   <li>{@code admin} at the end: admin access
 *   <li>{@code gpus: big= 1 big | small= 4 small}: alternatives
 *   <li>{@code match numa of gpus,nic}, {@code distinct numa}: constraints; without names, for all requests
 *   <li>{@code config TEXT of gpus}: opaque configuration
 *   <li>{@code unknown}, {@code gpus: ?}: a constraint or request of an unknown type
 * </ul>
 *
 * <p>Attributes without a domain belong to {@link SampleObjects#DRIVER}.
 */
public final class ClaimText {
    private ClaimText() {}

    /** Parses a claim spec. */
    public static ClaimSpec spec(String text) {
        List<DeviceRequest> requests = new ArrayList<>();
        List<DeviceConstraint> constraints = new ArrayList<>();
        List<ClaimConfig> config = new ArrayList<>();
        for (String part : text.split(";", -1)) {
            String[] words = part.trim().split("\\s+", -1);
            List<String> requestNames = words.length > 3 ? List.of(words[3].split(",", -1)) : List.of();
            switch (words[0]) {
                case "" -> {}
                case "match" -> constraints.add(new DeviceConstraint.MatchAttribute(requestNames, qualified(words[1])));
                case "distinct" ->
                    constraints.add(new DeviceConstraint.DistinctAttribute(requestNames, qualified(words[1])));
                case "unknown" -> constraints.add(new DeviceConstraint.UnknownConstraint(requestNames));
                case "config" ->
                    config.add(new ClaimConfig(requestNames, new OpaqueConfig(SampleObjects.DRIVER, words[1])));
                default -> requests.add(request(part.trim()));
            }
        }
        return new ClaimSpec(requests, constraints, config);
    }

    private static String qualified(String attribute) {
        return attribute.contains("/") ? attribute : SampleObjects.DRIVER + "/" + attribute;
    }

    private static DeviceRequest request(String text) {
        int colon = text.indexOf(':');
        String name = text.substring(0, colon);
        String rest = text.substring(colon + 1).trim();
        if (rest.equals("?")) {
            return new DeviceRequest.UnknownRequest(name);
        }
        if (!rest.contains("= ")) {
            boolean admin = rest.endsWith(" admin");
            return new DeviceRequest.Exactly(
                    name,
                    requestSpec(admin ? rest.substring(0, rest.length() - " admin".length()) : rest),
                    admin ? Optional.of(true) : Optional.empty());
        }
        List<DeviceRequest.Alternative> alternatives = new ArrayList<>();
        for (String each : rest.split("\\|", -1)) {
            String[] pair = each.trim().split("= ", 2);
            alternatives.add(new DeviceRequest.Alternative(pair[0], requestSpec(pair[1])));
        }
        return new DeviceRequest.FirstAvailable(name, alternatives);
    }

    private static RequestSpec requestSpec(String text) {
        String[] words = text.trim().split("\\s+", -1);
        List<String> selectors = new ArrayList<>();
        List<Toleration> tolerations = new ArrayList<>();
        var capacity = new TreeMap<String, Quantity>();
        for (String word : Arrays.asList(words).subList(2, words.length)) {
            if (word.startsWith("(")) {
                String[] pair = word.substring(1, word.length() - 1).split(":", 2);
                capacity.put(pair[0], Quantity.parse(pair[1]));
            } else if (word.startsWith("~")) {
                tolerations.add(DeviceText.toleration(word.substring(1)));
            } else {
                selectors.add(word.substring(1, word.length() - 1));
            }
        }
        boolean isCount = words[0].matches("\\d+");
        return new RequestSpec(
                words[1].equals("\"\"") ? "" : words[1],
                selectors,
                isCount
                        ? AllocationMode.EXACT_COUNT
                        : words[0].equals("all") ? AllocationMode.ALL : new AllocationMode(words[0]),
                isCount ? Long.parseLong(words[0]) : 1,
                tolerations,
                capacity);
    }
}
