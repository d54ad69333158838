"""Privacy models: the claims of releases, each in its own file with one line in `MODELS`.

The class of every model can be imported from here, and is loaded on first use: `from shoal.privacy import KAnonymity`.
"""

from __future__ import annotations

from typing import Any

from shoal.data.claims import Model
from shoal.registry import LazyTable

MODELS: LazyTable[type[Model]] = LazyTable(
    "model",
    {
        "k-anonymity": "shoal.privacy.k_anonymity:KAnonymity",
        "sensitive-share": "shoal.privacy.sensitive_share:SensitiveShare",
        "vocabulary-k-anonymity": "shoal.privacy.vocabulary_k_anonymity:VocabularyKAnonymity",
        "coherence": "shoal.privacy.coherence:Coherence",
        "rho-uncertainty": "shoal.privacy.rho_uncertainty:RhoUncertainty",
        "km-anonymity": "shoal.privacy.km_anonymity:KmAnonymity",
        "privacy-degree": "shoal.privacy.privacy_degree:PrivacyDegree",
        "k-delta-anonymity": "shoal.privacy.k_delta:KDeltaAnonymity",
        "disassociated-km-anonymity": "shoal.privacy.disassociated_km_anonymity:DisassociatedKmAnonymity",
        "word-support": "shoal.privacy.word_support:WordSupport",
        "node-names": "shoal.privacy.node_names:NodeNames",
        "public-k-anonymity": "shoal.privacy.public_k_anonymity:PublicKAnonymity",
        "access-k-anonymity": "shoal.privacy.access_k_anonymity:AccessKAnonymity",
        "microdata-k-anonymity": "shoal.privacy.microdata_k_anonymity:MicrodataKAnonymity",
        "kkm-anonymity": "shoal.privacy.kkm_anonymity:KKmAnonymity",
        "class-limits": "shoal.privacy.class_limits:ClassLimits",
        "l-diversity": "shoal.privacy.l_diversity:LDiversity",
        "t-closeness": "shoal.privacy.t_closeness:TCloseness",
        "alpha-k-anonymity": "shoal.privacy.alpha_k_anonymity:AlphaKAnonymity",
        "rho1-rho2-privacy": "shoal.privacy.rho1_rho2_privacy:Rho1Rho2Privacy",
        "confidence-bounding": "shoal.privacy.confidence_bounding:ConfidenceBounding",
        "delta-presence": "shoal.privacy.delta_presence:DeltaPresence",
        "xy-anonymity": "shoal.privacy.xy_anonymity:XYAnonymity",
        "weighted-k-anonymity": "shoal.privacy.weighted_k_anonymity:WeightedKAnonymity",
        "shared-terms": "shoal.privacy.shared_terms:SharedTerms",
        "differential-privacy": "shoal.privacy.differential_privacy:DifferentialPrivacy",
        "support": "shoal.privacy.support:Support",
        "query-affinity": "shoal.privacy.query_affinity:QueryAffinity",
        "user-k-anonymity": "shoal.privacy.user_k_anonymity:UserKAnonymity",
    },
)


def __getattr__(name: str) -> Any:
    return MODELS.class_called(name, __name__)
