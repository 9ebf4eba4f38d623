package dev.claimstream.history.store;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where and with which limits a store works.
 *
 * @param file file of the database; empty for a store in memory
 * @param exports folder in which exports are written; nothing else outside the database can be read or written
 * @param memory limit of the memory of DuckDB, for example {@code 512MB}
 * @param threads number of threads of a query
 */
public record StoreSettings(Optional<Path> file, Path exports, String memory, int threads) {}
