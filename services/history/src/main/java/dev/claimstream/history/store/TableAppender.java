package dev.claimstream.history.store;

import dev.claimstream.history.DeviceOverlap;
import dev.claimstream.history.DevicePeriod;
import dev.claimstream.history.Interval;
import dev.claimstream.history.PendingPeriod;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** Appends rows to one table. An open period ends with its ID. */
final class TableAppender implements AutoCloseable {
    private static final long MICROS = 1_000_000;

    private final DuckDBAppender rows;

    TableAppender(DuckDBConnection connection, String table) throws SQLException {
        rows = connection.createAppender(DuckDBConnection.DEFAULT_SCHEMA, table);
    }

    static LocalDateTime time(long micros) {
        return LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, MICROS), (int) Math.floorMod(micros, MICROS) * 1000, ZoneOffset.UTC);
    }

    private void appendTime(long micros) throws SQLException {
        if (micros == 0) {
            rows.appendNull();
        } else {
            rows.appendEpochMicros(micros);
        }
    }

    private static String amounts(Map<String, String> amounts) {
        return amounts.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(","));
    }

    void texts(String... values) throws SQLException {
        rows.beginRow();
        for (String value : values) {
            rows.append(value);
        }
        rows.endRow();
    }

    void add(Interval each, Optional<String> id) throws SQLException {
        rows.beginRow();
        rows.append(each.driver());
        rows.append(each.pool());
        rows.append(each.device());
        rows.append(each.share());
        rows.append(each.adminAccess());
        rows.append(amounts(each.consumed()));
        rows.append(each.weight());
        rows.append(each.claimUid());
        rows.append(each.namespace());
        rows.append(each.claim());
        rows.append(each.request());
        rows.append(each.deviceClass());
        rows.append(each.node());
        rows.append(String.join(",", each.pods()));
        rows.append(each.labels().isEmpty() ? "{}" : RowCodec.text(new TreeMap<>(each.labels())));
        rows.append(each.allocator());
        rows.append(each.cell());
        rows.append(each.decision());
        appendTime(each.allocatedMicros());
        appendTime(each.committedMicros());
        appendTime(each.releasedMicros());
        rows.append(each.cause());
        end(id);
    }

    private void end(Optional<String> id) throws SQLException {
        if (id.isPresent()) {
            rows.append(id.get());
        }
        rows.endRow();
    }

    void add(PendingPeriod each, Optional<String> id) throws SQLException {
        rows.beginRow();
        rows.append(each.claimUid());
        rows.append(each.namespace());
        rows.append(each.claim());
        rows.append(each.pod());
        rows.append(each.deviceClass());
        rows.append(each.reason());
        rows.append(each.message());
        appendTime(each.beginMicros());
        appendTime(each.endMicros());
        rows.append(each.end());
        end(id);
    }

    void add(DevicePeriod each, Optional<String> id) throws SQLException {
        rows.beginRow();
        rows.append(each.driver());
        rows.append(each.pool());
        rows.append(each.device());
        rows.append(each.node());
        rows.append(each.shareable());
        rows.append(amounts(each.capacity()));
        appendTime(each.beginMicros());
        appendTime(each.endMicros());
        if (id.isPresent()) {
            rows.append(id.get());
        }
        rows.append(each.product());
        rows.endRow();
    }

    void add(DeviceOverlap each) throws SQLException {
        rows.beginRow();
        rows.append(each.driver());
        rows.append(each.pool());
        rows.append(each.device());
        rows.append(each.claim());
        rows.append(each.other());
        appendTime(each.atMicros());
        rows.append(each.reason());
        rows.endRow();
    }

    void add(UtilizationHour each) throws SQLException {
        rows.beginRow();
        rows.append(each.driver());
        rows.append(each.pool());
        rows.append(each.device());
        appendTime(each.hourMicros());
        rows.append(each.samples());
        rows.append(each.utilizationSum());
        rows.endRow();
    }

    /** @param foundMicros when it was found */
    void add(LogGap each, long foundMicros) throws SQLException {
        rows.beginRow();
        rows.append(each.topic());
        rows.append(each.partition());
        rows.append(each.first());
        rows.append(each.last());
        appendTime(foundMicros);
        rows.endRow();
    }

    void addPosition(String topic, int partition, long next) throws SQLException {
        rows.beginRow();
        rows.append(topic);
        rows.append(partition);
        rows.append(next);
        rows.endRow();
    }

    @Override
    public void close() throws SQLException {
        rows.close();
    }
}
