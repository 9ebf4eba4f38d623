package dev.claimstream.scenarios;

import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.RequestSpec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Rewrites an error of the solver in each form that upstream may use.
 *
 * <p>The solver does not know the names of claims. Its messages contain more than upstream's, which omit the request of a selector, the
 * device on which an expression does not compile, and the request of an alternative.
 */
final class UpstreamMessages {
    private static final Pattern SELECTOR = Pattern.compile("(?s)request \\S+: (selector #.*)");
    private static final Pattern COMPILE_ERROR =
            Pattern.compile("(?s)(.*selector #\\d+) on device \\S+(: CEL compile error.*)");
    private static final Pattern NO_CLASS =
            Pattern.compile("(.*could not retrieve device class (\\S+): )it does not exist");
    private static final Pattern NO_SELECTOR = Pattern.compile("(request (\\S+)): (CEL expression empty.*)");
    private static final Pattern ALTERNATIVE = Pattern.compile("(?s)request \\S+/(\\S+: .*)");
    private static final Pattern CAPACITY = Pattern.compile("(?s)(.*checking capacity for device )\\S+/(\\S+: .*)");
    private static final Pattern ALL_DEVICES = Pattern.compile("(?s).*; (request \\S+: cannot add device .*)");
    private static final Pattern DISABLED =
            Pattern.compile("(?s)(asks for all devices.* is currently being updated): .*");
    private static final Pattern INVALID_POOL =
            Pattern.compile("(?s)invalid resource pools were encountered: (\\S+) .*");

    private final Set<String> messages = new LinkedHashSet<>();

    private UpstreamMessages() {}

    /**
     * Returns all forms of a message, the original first.
     *
     * @param claims the claims that were solved
     */
    static List<String> of(String message, Map<ObjectKey, ClaimSpec> claims) {
        var wordings = new UpstreamMessages();
        wordings.messages.add(message);
        for (String plain : plain(message)) {
            wordings.messages.add(plain);
            claims.forEach((claim, spec) -> wordings.addOf(plain, claim, spec));
        }
        return List.copyOf(wordings.messages);
    }

    /** Adds the forms with the name of a claim; upstream omits an empty namespace. */
    private void addOf(String message, ObjectKey claim, ClaimSpec spec) {
        for (String name : List.of(claim.toString(), claim.name())) {
            if (message.startsWith("asks for all devices")) {
                requestNames(spec)
                        .forEach(request -> messages.add("claim %s, request %s: %s".formatted(name, request, message)));
            } else {
                String separator = message.startsWith("selector #") ? ": " : ", ";
                messages.add("claim " + name + separator + withSelector(message, spec));
            }
        }
    }

    /** Adds the index of an empty selector, which upstream includes in its message. */
    private static String withSelector(String message, ClaimSpec spec) {
        Matcher none = NO_SELECTOR.matcher(message);
        return none.matches()
                ? "%s, selector #%d: %s".formatted(none.group(1), emptySelector(spec, none.group(2)), none.group(3))
                : message;
    }

    private static int emptySelector(ClaimSpec spec, String name) {
        return spec.requests().stream()
                .flatMap(request -> switch (request) {
                    case DeviceRequest.Exactly exactly ->
                        request.name().equals(name) ? Stream.of(exactly.spec()) : Stream.<RequestSpec>empty();
                    case DeviceRequest.FirstAvailable first ->
                        first.alternatives().stream()
                                .filter(each ->
                                        each.name().equals(name) || name.equals(request.name() + "/" + each.name()))
                                .map(DeviceRequest.Alternative::spec);
                    case DeviceRequest.UnknownRequest _ -> Stream.<RequestSpec>empty();
                })
                .mapToInt(each -> each.selectors().indexOf(""))
                .filter(position -> position >= 0)
                .findFirst()
                .orElse(0);
    }

    private static List<String> plain(String message) {
        String text = COMPILE_ERROR
                .matcher(DISABLED.matcher(ALL_DEVICES.matcher(message).replaceFirst("$1"))
                        .replaceFirst("$1"))
                .replaceFirst("$1$2");
        text = SELECTOR.matcher(text).replaceFirst("$1");
        text = NO_CLASS.matcher(text).replaceFirst("$1deviceclass.resource.k8s.io \"$2\" not found");
        List<String> texts = new ArrayList<>(List.of(text));
        texts.addAll(alternatives(text));
        Matcher capacity = CAPACITY.matcher(text);
        if (capacity.matches()) {
            texts.add(capacity.group(1) + capacity.group(2));
            texts.addAll(alternatives(capacity.group(1) + capacity.group(2)));
        }
        Matcher pool = INVALID_POOL.matcher(text);
        if (pool.matches()) {
            texts.add("asks for all devices, but resource pool %s is currently invalid".formatted(pool.group(1)));
        }
        return texts;
    }

    private static List<String> alternatives(String text) {
        Matcher alternative = ALTERNATIVE.matcher(text);
        return alternative.matches()
                ? List.of("request " + alternative.group(1), "subrequest " + alternative.group(1))
                : List.of();
    }

    private static List<String> requestNames(ClaimSpec spec) {
        return spec.requests().stream()
                .<String>mapMulti((request, names) -> {
                    names.accept(request.name());
                    if (request instanceof DeviceRequest.FirstAvailable first) {
                        first.alternatives().forEach(each -> names.accept(each.name()));
                    }
                })
                .toList();
    }
}
