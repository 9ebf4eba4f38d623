package dev.claimstream.selectors;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Caches the answers of one expression by the values that it read. Thread-safe.
 *
 * <p>A full cache is cleared; that costs evaluations, but never changes an answer.
 */
final class Memo<T> {
    private final ConcurrentHashMap<List<Object>, T> answers = new ConcurrentHashMap<>();
    private final int entriesMax;

    Memo(int entriesMax) {
        this.entriesMax = entriesMax;
    }

    T get(List<Object> key, Supplier<T> evaluation) {
        T known = answers.get(key);
        if (known != null) {
            return known;
        }
        T answer = evaluation.get();
        if (answers.size() >= entriesMax) {
            answers.clear();
        }
        answers.put(key, answer);
        return answer;
    }

    int size() {
        return answers.size();
    }
}
