/** The contracts as files for other programs: Avro schemas, and a page that documents topics and records. */
@NullMarked
package dev.claimstream.kafka.contracts;

import org.jspecify.annotations.NullMarked;
