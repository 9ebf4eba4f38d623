package dev.claimstream.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The commands that verify and keep the recorded log. */
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        header = "Verify, archive and sign the recorded log: inputs, and the hash-chained ledger of decisions.",
        description = {""},
        subcommands = {
            AuditVerifyCommand.class,
            AuditArchiveCommand.class,
            AuditHoldCommand.class,
            AuditImportCommand.class,
            AuditEraseCommand.class,
            AuditCheckpointCommand.class,
            AuditProveCommand.class,
            AuditCheckProofCommand.class,
            AuditSqlCommand.class,
            AuditExportCommand.class
        })
final class AuditCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the spec before it runs anything
    private AuditCommand() {}

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
