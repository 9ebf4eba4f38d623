package dev.claimstream.observability;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Log output of a service, as JSON and as text. */
final class LogsTest {
    private static String logOutput(String form) throws JoranException {
        return logOutput(form, "INFO", "dev.claimstream.decisions");
    }

    private static String logOutput(String form, String level, String logger) throws JoranException {
        PrintStream before = System.err;
        var bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            var context = new LoggerContext();
            context.setMDCAdapter(new LogbackMDCAdapter());
            context.putProperty("CLAIMSTREAM_LOG", form);
            context.putProperty("CLAIMSTREAM_LOG_LEVEL", level);
            var configurator = new JoranConfigurator();
            configurator.setContext(context);
            configurator.doConfigure(Logs.class.getResource("service-logback.xml"));
            Logger log = context.getLogger(logger);
            log.atInfo().addKeyValue("claim", "team/a").addKeyValue("number", 7).log("claim decided");
            context.stop();
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void writesDecisionAsOneJsonLine() throws JoranException {
        String line = logOutput("json");
        assertThat(line.lines()).hasSize(1);
        assertThat(line)
                .matches("\\{\"time\":\"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z\",\"level\":\"INFO\","
                        + "\"logger\":\"dev.claimstream.decisions\",\"message\":\"claim decided\","
                        + "\"claim\":\"team/a\",\"number\":7}\n");
    }

    @Test
    void writesDecisionAsText() throws JoranException {
        assertThat(logOutput("text")).contains("INFO").contains("claim decided claim=\"team/a\" number=\"7\"");
    }

    @Test
    void writesDecisionsAndQuestionsAtEveryLevel() throws JoranException {
        for (String logger : List.of("dev.claimstream.decisions", "dev.claimstream.process.access.AccessLogLine")) {
            assertThat(logOutput("text", "ERROR", logger)).as(logger).contains("claim decided");
        }
        assertThat(logOutput("text", "ERROR", "dev.claimstream.history.HistoryServer"))
                .isEmpty();
    }
}
