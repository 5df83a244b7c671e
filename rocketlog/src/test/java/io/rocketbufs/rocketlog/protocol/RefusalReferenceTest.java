package io.rocketbufs.rocketlog.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rocketbufs.reference.ReferencePage;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that every refusal states a reason and a remedy, and that the reference page contains those of batches. */
final class RefusalReferenceTest {
    /** At least two clauses, the last of which is the remedy. */
    private static final String REASON_AND_REMEDY = "[a-z].{8,}; [a-z].{3,}";

    /** Returns all results that are no offsets: those with a constant, and those for invalid batches. */
    private static List<Long> results() {
        List<Long> results = new ArrayList<>();
        try {
            for (Field each : AppendResult.class.getFields()) {
                if (each.getType() == long.class) {
                    results.add(each.getLong(null));
                }
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        for (BatchVerdict each : BatchVerdict.values()) {
            if (each != BatchVerdict.VALID) {
                results.add(AppendResult.rejected(each));
            }
        }
        results.sort(Comparator.reverseOrder());
        return results;
    }

    @Test
    void shouldStateAReasonAndARemedyInEveryRefusal() {
        assertThat(results()).hasSizeGreaterThan(BatchVerdict.values().length).allMatch(result -> result < 0);
        for (long result : results()) {
            assertThat(AppendResult.reason(result))
                    .as("text for result=%d", result)
                    .matches(REASON_AND_REMEDY)
                    .doesNotContain("does not recognize");
        }
        assertThat(AppendResult.reason(Long.MIN_VALUE))
                .matches(REASON_AND_REMEDY)
                .contains("does not recognize");
        for (LogRefusal kind : LogRefusal.values()) {
            RefusedRequest refusal = new RefusedRequest(kind, "orders-0: a reason", "a remedy");
            ByteBuffer message = LogMessageLayout.refused(7, refusal);
            assertThat(LogMessageLayout.refusal(message)).isEqualTo(kind);
            assertThat(LogMessageLayout.reason(message)).isEqualTo("orders-0: a reason; a remedy");
            assertThatIllegalArgumentException().isThrownBy(() -> new RefusedRequest(kind, "orders-0: a reason", " "));
            assertThatIllegalArgumentException().isThrownBy(() -> new RefusedRequest(kind, "", "a remedy"));
        }
    }

    @Test
    void shouldListTheRefusalsOfBatches() throws IOException {
        ReferencePage.read("refusals.md")
                .check(
                        "batches",
                        results().stream()
                                .filter(result -> !AppendResult.isInLog(result))
                                .map(result -> "- " + AppendResult.reason(result))
                                .collect(Collectors.joining("\n")));
    }
}
