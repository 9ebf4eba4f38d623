package dev.claimstream.observability;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.event.KeyValuePair;

/**
 * Writes each log event as one line with a flat JSON object.
 *
 * <p>The fields are {@code time} (UTC, RFC 3339), {@code level}, {@code logger}, {@code message}, the key-values of the event in their
 * order, and {@code exception}. Integers and booleans are written as JSON numbers and booleans. A duplicate
 * key gets {@code _} at its end.
 */
public final class JsonLineEncoder extends EncoderBase<ILoggingEvent> {
    /** Three digits of a second, always: a collector that sorts by text must not be misled. */
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private static final byte[] NOTHING = {};

    private final ThrowableProxyConverter exceptions = new ThrowableProxyConverter();

    @Override
    public void start() {
        exceptions.start();
        super.start();
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        var line = new LogLine();
        line.add("time", TIME.format(Instant.ofEpochMilli(event.getTimeStamp())));
        line.add("level", event.getLevel().toString());
        line.add("logger", event.getLoggerName());
        line.add("message", event.getFormattedMessage());
        List<KeyValuePair> values = event.getKeyValuePairs();
        if (values != null) {
            values.forEach(each -> line.add(each.key, each.value == null ? "" : each.value));
        }
        if (event.getThrowableProxy() != null) {
            line.add("exception", exceptions.convert(event).stripTrailing());
        }
        return line.end().getBytes(StandardCharsets.UTF_8);
    }

    /** The line under construction. */
    private static final class LogLine {
        private final StringBuilder text = new StringBuilder("{");
        private final Set<String> keys = new HashSet<>();

        void add(String key, Object value) {
            String free = key;
            while (!keys.add(free)) {
                free += "_";
            }
            text.append(keys.size() == 1 ? "" : ",").append(Json.text(free)).append(':');
            switch (value) {
                case Integer number -> text.append(number);
                case Long number -> text.append(number);
                case Boolean flag -> text.append(flag);
                default -> text.append(Json.text(value.toString()));
            }
        }

        String end() {
            return text.append("}\n").toString();
        }
    }
}
