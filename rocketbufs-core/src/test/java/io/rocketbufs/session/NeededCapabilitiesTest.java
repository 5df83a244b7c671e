package io.rocketbufs.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import io.rocketbufs.rocketnet.loopback.LoopbackTransport;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(600)
final class NeededCapabilitiesTest {
    private static final int LONGEST_CONTROL = 1024;
    private static final Set<Operation> OPERATIONS = Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND);
    /** The minimum capabilities that the protocol requires. */
    private static final Capabilities LEAST = Capabilities.builder()
            .immediateBits(32)
            .lengthWithArrival(true)
            .connectionWithArrival(true)
            .consumesReceive(true)
            .vecsPerWrite(1)
            .longestWrite(1)
            .longestControl(LONGEST_CONTROL)
            .ordered(true)
            .operations(OPERATIONS)
            .build();

    /**
     * One insufficient capability of a transport.
     *
     * @param component name of the record's component
     * @param value the offered value
     * @param offered the offered value as shown in the refusal
     * @param need the required value as shown in the refusal
     */
    record Lack(String component, Object value, String offered, String need) {
        @Override
        public String toString() {
            return offered;
        }
    }

    static List<Lack> lacks() {
        return List.of(
                new Lack("immediateBits", 31, "immediateBits=31", "needs at least 32"),
                new Lack("lengthWithArrival", false, "lengthWithArrival=false", "needs it"),
                new Lack("connectionWithArrival", false, "connectionWithArrival=false", "needs it"),
                new Lack("vecsPerWrite", 0, "vecsPerWrite=0", "needs at least 1"),
                new Lack("longestWrite", 0, "longestWrite=0", "needs at least 1"),
                new Lack("longestControl", 1023, "longestControl=1023", "needs at least 1024"),
                new Lack("ordered", false, "ordered=false", "needs it"),
                new Lack("operations", Set.of(), "WRITE_WITH_IMMEDIATE=false", "needs it"),
                new Lack("operations", Set.of(Operation.SEND), "WRITE_WITH_IMMEDIATE=false", "needs it"),
                new Lack("operations", Set.of(Operation.WRITE_WITH_IMMEDIATE), "SEND=false", "needs it"));
    }

    @ParameterizedTest
    @MethodSource("lacks")
    void shouldRefuseATransportThatLacksACapabilityAndReportTheRemedy(Lack lack) throws Exception {
        Capabilities offered = with(lack.component, lack.value);
        assertThatThrownBy(() -> NeededCapabilities.check("pigeon", offered))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.code()).isEqualTo(TransportException.Code.UNAVAILABLE))
                .hasMessage("transport \"pigeon\" offers " + lack.offered + ", but the protocol " + lack.need
                        + "; set rocketbufs.transport to another transport");
    }

    @Test
    void shouldAcceptATransportWithTheMinimumCapabilities() {
        assertThatCode(() -> NeededCapabilities.check("pigeon", LEAST)).doesNotThrowAnyException();
    }

    /** Returns the minimum capabilities, except for one component with the given value. */
    private static Capabilities with(String component, Object value) throws ReflectiveOperationException {
        List<Class<?>> types = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (RecordComponent each : Capabilities.class.getRecordComponents()) {
            types.add(each.getType());
            values.add(
                    each.getName().equals(component)
                            ? value
                            : each.getAccessor().invoke(LEAST));
        }
        assertThat(values).as("one component is %s", component).contains(value);
        return Capabilities.class.getConstructor(types.toArray(Class[]::new)).newInstance(values.toArray());
    }

    @Test
    void shouldRefuseAnInsufficientTransportBeforeConnecting() {
        try (LoopbackNetwork network =
                new LoopbackNetwork(LoopbackOptions.oneSided().immediateBits(16))) {
            LoopbackTransport transport = network.transport("narrow");
            assertThatThrownBy(() -> RocketBufs.open(ConfigFactory.load(), transport))
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("transport \"narrow\" offers immediateBits=16");
            assertThat(network.links()).isEmpty();
        }
    }
}
