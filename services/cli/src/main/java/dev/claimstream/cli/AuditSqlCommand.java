package dev.claimstream.cli;

import dev.claimstream.history.store.AccessScope;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs a query on the history. */
@Command(
        name = "sql",
        mixinStandardHelpOptions = true,
        header = "Run one SELECT statement on the history.",
        description = {
            "",
            "Tables: intervals, pending, devices, device_overlaps and telemetry; services/history/README.md has their"
                    + " columns. Times are TIMESTAMP in UTC. A query can read nothing else, and ends after 20 s, or when it"
                    + " needs more memory than permitted.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:answered", "1:the query is rejected or was ended, or the log cannot be read"},
        footer = {
            "",
            "Example: claimstream audit sql \"SELECT namespace, count(*) FROM intervals GROUP BY ALL ORDER BY 2 DESC\""
        })
final class AuditSqlCommand implements Callable<Integer> {
    @Parameters(paramLabel = "QUERY", description = "A SELECT statement of DuckDB.")
    private String query = "";

    @Mixin
    private HistoryOption history;

    @Mixin
    private HistoryOutputOption output;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditSqlCommand() {}

    @Override
    public Integer call() {
        output.check();
        return output.print(history.withTelemetry()
                .with(client -> client.sql(query), reader -> reader.sql(query, AccessScope.ADMINISTRATOR)));
    }
}
