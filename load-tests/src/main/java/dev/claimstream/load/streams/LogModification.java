package dev.claimstream.load.streams;

import dev.claimstream.audit.LogRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A modification of a ledger at a random place. */
public enum LogModification {
    CHANGED_BIT {
        @Override
        void apply(List<LogRecord> records, Random random) {
            int place = random.nextInt(records.size());
            byte[] value = value(records.get(place)).clone();
            value[random.nextInt(value.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            records.set(place, with(records.get(place), value));
        }
    },
    CHANGED_VALUE {
        @Override
        void apply(List<LogRecord> records, Random random) {
            int place = random.nextInt(records.size());
            byte[] value = value(records.get(place));
            records.set(place, with(records.get(place), Arrays.copyOf(value, random.nextInt(value.length))));
        }
    },
    MISSING {
        @Override
        void apply(List<LogRecord> records, Random random) {
            records.remove(1 + random.nextInt(records.size() - 2));
        }
    },
    INSERTED {
        @Override
        void apply(List<LogRecord> records, Random random) {
            int place = random.nextInt(records.size());
            records.add(place + 1 + random.nextInt(records.size() - place), records.get(place));
        }
    },
    REORDERED {
        @Override
        void apply(List<LogRecord> records, Random random) {
            int place = random.nextInt(records.size() - 1);
            Collections.swap(records, place, place + 1 + random.nextInt(records.size() - place - 1));
        }
    },
    /** The end is missing. Only a checkpoint finds this. */
    TRUNCATED {
        @Override
        void apply(List<LogRecord> records, Random random) {
            records.subList(1 + random.nextInt(records.size() - 1), records.size())
                    .clear();
        }
    };

    abstract void apply(List<LogRecord> records, Random random);

    /** Returns the records with the modification. At least three records are needed. */
    public List<LogRecord> of(List<LogRecord> records, Random random) {
        List<LogRecord> modified = new ArrayList<>(records);
        apply(modified, random);
        return modified;
    }

    private static byte[] value(LogRecord record) {
        return record.value().orElseThrow();
    }

    private static LogRecord with(LogRecord record, byte[] value) {
        return new LogRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.key(),
                Optional.of(value));
    }
}
