package dev.claimstream.cli.output;

import dev.claimstream.console.ClaimResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats counts, durations and latencies for summary lines. */
public final class SummaryText {
    private SummaryText() {}

    public static String of(List<ClaimResult> answers) {
        List<String> parts = new ArrayList<>();
        for (ClaimResult.ResultState state : ClaimResult.ResultState.values()) {
            long count =
                    answers.stream().filter(answer -> answer.state() == state).count();
            if (count > 0) {
                parts.add(count + " " + state.text());
            }
        }
        return parts.isEmpty() ? "no claims" : String.join(", ", parts);
    }

    /** Formats a count with its noun: {@code 1 node}, {@code 2 nodes}. */
    public static String of(long count, String thing) {
        return count + " " + thing + (count == 1 ? "" : "s");
    }

    public static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }

    /**
     * Formats p50 and p99.
     *
     * @param sortedMs ascending, in milliseconds
     */
    public static String latency(List<Long> sortedMs) {
        return sortedMs.isEmpty() ? "-" : "p50 %d ms, p99 %d ms".formatted(at(sortedMs, 50), at(sortedMs, 99));
    }

    private static long at(List<Long> sorted, int percent) {
        return sorted.get(Math.min(sorted.size() - 1, (sorted.size() * percent) / 100));
    }
}
