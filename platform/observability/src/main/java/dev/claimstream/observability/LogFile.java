package dev.claimstream.observability;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.LoggerFactory;

/**
 * A file with the log lines of one logger, from INFO on, as {@link JsonLineEncoder} writes them.
 *
 * <p>A line is in the file once the call that logs it returns. The logger writes nowhere else. Safe for many threads.
 */
public final class LogFile implements AutoCloseable {
    private final Logger logger;
    private final FileAppender<ILoggingEvent> appender;

    private LogFile(Logger logger, FileAppender<ILoggingEvent> appender) {
        this.logger = logger;
        this.appender = appender;
    }

    /**
     * Appends the lines of a logger and of the loggers below it to a file, until {@link #close}.
     *
     * @param loggerName name of the logger, such as a package
     * @throws IOException if the file cannot be written
     */
    public static LogFile append(String loggerName, Path file) throws IOException {
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                .close(); // the appender reports no error
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        var encoder = new JsonLineEncoder();
        encoder.setContext(context);
        encoder.start();
        var appender = new FileAppender<ILoggingEvent>();
        appender.setContext(context);
        appender.setName(file.toString());
        appender.setFile(file.toString());
        appender.setEncoder(encoder);
        appender.start();
        Logger logger = context.getLogger(loggerName);
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(appender);
        return new LogFile(logger, appender);
    }

    /** Closes the file. Later lines are dropped. */
    @Override
    public void close() {
        logger.detachAppender(appender);
        appender.stop();
    }
}
