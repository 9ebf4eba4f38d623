package dev.claimstream.simulator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.claimstream.process.access.AccessLogLine;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** The log lines of requests, from now on. A request is logged after its response. */
final class RequestLines extends AppenderBase<ILoggingEvent> {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(AccessLogLine.class);

    private final List<String> texts = new CopyOnWriteArrayList<>();
    private final int count;

    /** @param count number of lines that are awaited */
    RequestLines(int count) {
        this.count = count;
        start();
        LOGGER.setLevel(Level.INFO);
        LOGGER.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        texts.add(event.getKeyValuePairs().stream()
                .filter(pair -> !pair.key.equals("ms"))
                .map(pair -> "%s=%s".formatted(pair.key, pair.value))
                .collect(Collectors.joining(" ", event.getMessage() + " ", "")));
    }

    /** The lines without their duration. */
    List<String> texts() throws InterruptedException {
        for (int i = 0; i < 500 && texts.size() < count; i++) {
            Thread.sleep(10);
        }
        LOGGER.detachAppender(this);
        return List.copyOf(texts);
    }
}
