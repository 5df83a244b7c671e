package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class DefaultCapacityTest {
    @Test
    void shouldUseTheConfiguredCapacityByDefault() throws Exception {
        try (TwoProcesses processes = new TwoProcesses()) {
            processes.out.createBuffer(1);
            RIn in = processes.connect();
            in.subscribe(1).get(60, TimeUnit.SECONDS);
            long capacity = processes.sending.settings().bufferCapacity();
            assertThat(processes.sending.metrics().outputs())
                    .singleElement()
                    .satisfies(output -> assertThat(output.capacity()).isEqualTo(capacity));
            assertThat(processes.receiving.metrics().connections().get(0).inputs())
                    .singleElement()
                    .satisfies(input -> assertThat(input.capacity()).isEqualTo(capacity));
        }
    }
}
