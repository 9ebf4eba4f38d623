/** Tests of the repository: dependency rules, pages and their links. */
@NullMarked
package dev.claimstream.systemtests.repository;

import org.jspecify.annotations.NullMarked;
