package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the eviction order and the concurrent use of the cache. */
class LruCacheTest {
    private static final int ENTRIES_MAX = 32;
    private static final int THREADS = 4;
    private static final int LOOKUPS = 100_000;

    @Test
    void evictsLeastRecentlyUsedEntry() {
        var loads = new AtomicInteger();
        var cache = new LruCache<Integer>(2, _ -> loads.incrementAndGet());
        assertThat(cache.get("a")).isEqualTo(1);
        assertThat(cache.get("b")).isEqualTo(2);
        assertThat(cache.get("a")).isEqualTo(1);
        assertThat(cache.get("c")).isEqualTo(3);
        assertThat(cache.get("a")).isEqualTo(1);
        assertThat(cache.get("b")).isEqualTo(4);
    }

    /** There are more keys than entries, so that threads look up, load and evict concurrently. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = 1)
    @Timeout(60)
    void returnsCorrectValuesToConcurrentThreads(long seed) throws Exception {
        var loads = new AtomicInteger();
        var cache = new LruCache<String>(ENTRIES_MAX, text -> {
            loads.incrementAndGet();
            return "made of " + text;
        });
        var together = new CyclicBarrier(THREADS);
        Function<Integer, Callable<Void>> work = number -> () -> {
            var random = new Random(31 * seed + number);
            together.await();
            for (int i = 0; i < LOOKUPS; i++) {
                String text = Integer.toString(random.nextInt(2 * ENTRIES_MAX));
                assertThat(cache.get(text)).isEqualTo("made of " + text);
            }
            return null;
        };
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            for (Future<Void> run :
                    pool.invokeAll(IntStream.range(0, THREADS).boxed().map(work).toList())) {
                assertThat(run.get()).isNull();
            }
        }
        loads.set(0);
        for (int i = 0; i < 4 * ENTRIES_MAX; i++) {
            cache.get(Integer.toString(i % (2 * ENTRIES_MAX)));
        }
        assertThat(loads)
                .as("each was forgotten before it was asked for again")
                .hasValueGreaterThanOrEqualTo(3 * ENTRIES_MAX);
    }
}
