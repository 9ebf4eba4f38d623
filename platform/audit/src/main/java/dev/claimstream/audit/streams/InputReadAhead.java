package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Input;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.wire.CellInputReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;

/** Decodes inputs in a second thread, one batch ahead of their consumer: decoding takes a third of a replay. */
record InputReadAhead(AuditLog log, InputDecoder decoder, int cell) {
    private static final int BATCH = 500;

    /** An input as recorded and as the cell processes it, or why it cannot be decoded. */
    private sealed interface DecodeAttempt {
        record Success(ReadInput input) implements DecodeAttempt {}

        record Failure(RuntimeException reason) implements DecodeAttempt {}
    }

    /**
     * A recorded input.
     *
     * @param input empty for a rebuild, and for a record with fields of a newer version only
     */
    record ReadInput(LogRecord record, CellInputRecord value, Optional<Input> input) {}

    /**
     * Passes inputs in their order. An input that cannot be decoded fails when its turn comes.
     *
     * @param action returns whether to continue
     * @throws AuditException if inputs of the range are lost
     */
    void forEach(long from, long to, Predicate<ReadInput> action) {
        if (from < to) {
            checkComplete(from, to);
        }
        try (var executor = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name("replay-decoder").daemon().factory())) {
            var batches = new BatchQueue(action);
            log.forEach(LogVerifier.INPUTS, cell, from, to, record -> {
                batches.add(record);
                if (batches.isFull()) {
                    List<LogRecord> batch = batches.take();
                    return batches.pass(executor.submit(() -> decoded(batch)));
                }
                return true;
            });
            List<LogRecord> rest = batches.take();
            if (batches.pass(executor.submit(() -> decoded(rest)))) {
                boolean unused = batches.finish();
            }
        }
    }

    private void checkComplete(long from, long to) {
        log.gaps(LogVerifier.INPUTS, cell, from, to).stream().findFirst().ifPresent(gap -> {
            throw new AuditException(
                    "%s, partition %d: offsets %d to %d were deleted before they were archived: no replay passes them. Name a time after them, or another archive."
                            .formatted(LogVerifier.INPUTS, cell, gap.from(), gap.to() - 1));
        });
    }

    private List<DecodeAttempt> decoded(List<LogRecord> batch) {
        return batch.stream().map(this::decoded).toList();
    }

    private DecodeAttempt decoded(LogRecord record) {
        try {
            CellInputRecord value = decoder.decode(record);
            return new DecodeAttempt.Success(
                    new ReadInput(record, value, CellInputReader.from(record.offset(), value)));
        } catch (RuntimeException e) { // thrown again where the input is used
            return new DecodeAttempt.Failure(e);
        }
    }

    /** The batch that is filled, and the batch that is decoded. */
    private static final class BatchQueue {
        private final Predicate<ReadInput> action;
        private List<LogRecord> open = new ArrayList<>();
        private Optional<Future<List<DecodeAttempt>>> last = Optional.empty();
        private boolean isStopped;

        private BatchQueue(Predicate<ReadInput> action) {
            this.action = action;
        }

        private void add(LogRecord record) {
            open.add(record);
        }

        private boolean isFull() {
            return open.size() == BATCH;
        }

        private List<LogRecord> take() {
            List<LogRecord> taken = open;
            open = new ArrayList<>();
            return taken;
        }

        /** Passes the batch before this one; returns whether to continue. */
        private boolean pass(Future<List<DecodeAttempt>> next) {
            boolean continues = finish();
            last = Optional.of(next);
            return continues;
        }

        private boolean finish() {
            Optional<Future<List<DecodeAttempt>>> decoded = last;
            last = Optional.empty();
            isStopped = isStopped
                    || (decoded.isPresent()
                            && !decodedOf(decoded.get()).stream().allMatch(this::isPassed));
            return !isStopped;
        }

        private boolean isPassed(DecodeAttempt attempt) {
            return switch (attempt) {
                case DecodeAttempt.Success(ReadInput input) -> action.test(input);
                case DecodeAttempt.Failure(RuntimeException reason) -> throw reason;
            };
        }

        private static List<DecodeAttempt> decodedOf(Future<List<DecodeAttempt>> batch) {
            try {
                return batch.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while inputs are decoded", e);
            } catch (ExecutionException e) {
                throw new IllegalStateException("decoding of inputs failed", e.getCause());
            }
        }
    }
}
