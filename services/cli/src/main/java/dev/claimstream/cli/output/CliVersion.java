package dev.claimstream.cli.output;

import picocli.CommandLine.IVersionProvider;

/** The text of {@code --version}. */
public final class CliVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = CliVersion.class.getPackage().getImplementationVersion();
        return new String[] {"claimstream " + (version == null ? "(unpacked)" : version)};
    }
}
