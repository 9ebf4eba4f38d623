package dev.claimstream.kubernetes.controlplane;

import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Polls an API server until a condition holds. */
final class ApiPoller {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long POLL_INTERVAL_MS = 200;

    private ApiPoller() {}

    /** Polls an object until it is as expected. */
    static ApiResponse await(RawApiClient api, String path, Predicate<ApiResponse> expected) {
        return await(() -> api.get(path), expected);
    }

    /** Polls until the response is as expected. */
    static ApiResponse await(Supplier<ApiResponse> asked, Predicate<ApiResponse> expected) {
        long begin = System.nanoTime();
        ApiResponse seen = asked.get();
        while (!expected.test(seen)) {
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new AssertionError("after %s: %s".formatted(LIMIT, seen));
            }
            pause();
            seen = asked.get();
        }
        return seen;
    }

    /** Polls until the condition holds. On timeout the error contains the text of {@code instead}. */
    static void await(BooleanSupplier reached, Supplier<String> instead) {
        await(LIMIT, reached, instead);
    }

    /** Polls until the condition holds, for at most some time. On timeout the error contains the text of {@code instead}. */
    static void await(Duration limit, BooleanSupplier reached, Supplier<String> instead) {
        long begin = System.nanoTime();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - begin > limit.toNanos()) {
                throw new AssertionError("after %s: %s".formatted(limit, instead.get()));
            }
            pause();
        }
    }

    static void pause() {
        try {
            Thread.sleep(POLL_INTERVAL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
