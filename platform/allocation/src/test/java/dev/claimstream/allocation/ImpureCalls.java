package dev.claimstream.allocation;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Contains one violation of each rule of {@link PurityTest}, which must detect it. */
final class ImpureCalls {
    double share;

    Instant now() {
        return Instant.now();
    }

    Map<String, String> map() {
        return new HashMap<>();
    }

    Set<String> set() {
        return new HashSet<>(Set.of("a", "b"));
    }

    Set<String> collected() {
        return Stream.of("a").collect(Collectors.toSet());
    }

    int chance() {
        return new Random().nextInt();
    }

    String name() {
        return UUID.randomUUID().toString();
    }

    long time() {
        return System.nanoTime();
    }
}
